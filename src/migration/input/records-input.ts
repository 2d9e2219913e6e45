/** Exports `inputFromRecords` and `inputFromModule`: an input from an iterable of records. */
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { expectKind } from '../../validation/option-kinds.js';
import { MissingPackageError } from '../shared/missing-package.js';
import { describeMappingFailure } from './csv/describe-mapping-failure.js';
import { type RelatedFiles, watchRelatedFiles } from './csv/mapping/related-files.js';
import { refuseIncomplete } from './incomplete-records.js';
import { InputError } from './input-error.js';
import { loadDefaultExport } from './load-module.js';
import type { Input, InputLine } from './source.js';
import { recordItem } from './text/parse-record.js';

/** Values that should be records. Each is checked as if it were from a file. */
export type Records = Iterable<unknown> | AsyncIterable<unknown>;

const SOURCE = 'input';

/**
 * Loads a module whose default export is a value for `inputFromRecords`: records that can be read again, or a
 * function that returns them. Its code is run. `source`: the name of the module as the user gave it. Rejects with an
 * `InputError` if the module has no such export. Reading rejects with an `InputError` if the code of the module
 * throws.
 */
export async function inputFromModule(source: string, showPersonalData: boolean) {
  const expected =
    'expected a module whose default export is a function that returns records (an array, an iterable or an async iterable)';
  const whileLoaded = watchRelatedFiles();
  let lastRead: RelatedFiles | undefined;
  const records = (await loadDefaultExport(source, source, expected).finally(whileLoaded.end)) as
    | Records
    | (() => Records);
  if (typeof records !== 'function' && !isIterable(records)) {
    throw new InputError(
      `${source}: the default export is ${records === undefined ? 'missing' : typeof records}; ${expected}.`,
    );
  }
  if (typeof records !== 'function' && canBeReadOnce(records)) {
    throw new InputError(
      `${source}: the default export can be read only once, and a run reads its input several times; ${expected}. Export the function that makes it.`,
    );
  }
  return {
    /** Returns the related files that it has read. */
    related: (): RelatedFiles[] => (lastRead === undefined ? [whileLoaded] : [whileLoaded, lastRead]),
    async *lines(): AsyncGenerator<InputLine[]> {
      let line = 0;
      const whileRead = watchRelatedFiles();
      lastRead = whileRead;
      try {
        const iterable = typeof records === 'function' ? await records() : records;
        if (!isIterable(iterable))
          throw new InputError(
            `${source}: the function returned ${iterable === null ? 'null' : typeof iterable}; ${expected}.`,
          );
        const refuse = refuseIncomplete(whileLoaded.unreadable);
        const refuseAlso = refuseIncomplete(whileRead.unreadable);
        for await (const record of iterable) yield [refuseAlso(refuse(recordItem(source, ++line, record)))];
        yield [...whileLoaded.unreadable, ...whileRead.unreadable];
      } catch (error) {
        if (error instanceof InputError || error instanceof MissingPackageError) throw error;
        const noRow = { columns: [], cells: [], related: [] };
        const { detail, place } = describeMappingFailure(error, noRow, showPersonalData, 'The module');
        const at = place === '' ? '' : ` (${place})`;
        throw new InputError(
          `${source}: reading stopped after record ${line}${at}. ${detail} Correct it and run the same command again.`,
          { cause: error },
        );
      } finally {
        whileRead.end();
      }
    },
  };
}

/**
 * Returns an input whose lines are the records of an iterable. A generator, a stream or another iterable that can be read once is read by the
 * run only, and by no check before it; to have these too, give a function that returns a new one. A run sends nothing before the iterable has
 * ended. If it has to end before, it calls `return` of the iterator, and does not wait for it.
 *
 * @example
 * inputFromRecords(records);
 * inputFromRecords(() => readFromDatabase());
 */
export function inputFromRecords(records: Records | (() => Records | Promise<Records>)): Input {
  if (typeof records !== 'function' && !isIterable(records)) {
    throw new InputError(
      `inputFromRecords: got ${records === null ? 'null' : typeof records}; expected records: an array, another iterable, or a function that returns one.`,
    );
  }
  const isReadOnce = typeof records !== 'function' && canBeReadOnce(records);
  let isSpent = false;
  return {
    isReadOnce,
    [Symbol.asyncIterator]() {
      let line = 0;
      let opened: Promise<AsyncIterator<unknown> | Iterator<unknown>> | undefined;
      // No generator: it would pass on the end of the reading only after the next record.
      return {
        async next() {
          opened ??= open();
          const { done, value } = await (await opened).next();
          return done ? { done, value: undefined } : { value: recordItem(SOURCE, ++line, await value) };
        },
        async return() {
          await (await opened)?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };

  async function open(): Promise<AsyncIterator<unknown> | Iterator<unknown>> {
    if (isSpent) {
      throw new InputError(
        'inputFromRecords: the iterable can be read only once, and was read; expected records that can be read again. Give a function that returns a new iterable: inputFromRecords(() => records()).',
      );
    }
    const iterable = typeof records === 'function' ? await records() : records;
    expectKind('inputFromRecords: the result of the function', iterable, 'records');
    isSpent = isReadOnce;
    return Symbol.asyncIterator in iterable ? iterable[Symbol.asyncIterator]() : iterable[Symbol.iterator]();
  }
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Returns whether the records can be read only once: iterators return themselves, and a stream does not repeat its data. */
function canBeReadOnce(records: Records): boolean {
  if (records instanceof Readable || records instanceof ReadableStream) return true;
  return 'next' in records && typeof records.next === 'function';
}
