/** `dispatcher` takes those of any undici from 7 on: the one that is installed may be newer than the package's own. */
import type { DataImportClientOptions } from 'data-import-sdk';
import type { Agent, MockAgent, ProxyAgent } from 'undici';
import { expectTypeOf, it } from 'vitest';

/** What undici 8 changed of the handler: https://github.com/nodejs/undici, types/dispatcher.d.ts */
interface Dispatcher8 {
  dispatch(options: { path: string; method: string }, handler: { onBodySent?(chunk: Buffer): void }): boolean;
}

it('of undici 7 and of undici 8', () => {
  expectTypeOf<Agent>().toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
  expectTypeOf<ProxyAgent>().toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
  expectTypeOf<MockAgent>().toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
  expectTypeOf<Dispatcher8>().toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
});

it('nothing without dispatch', () => {
  expectTypeOf<typeof fetch>().not.toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
  expectTypeOf<{ dispatch: string }>().not.toExtend<NonNullable<DataImportClientOptions['dispatcher']>>();
});
