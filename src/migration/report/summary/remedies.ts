/**
 * Exports `remedyOf`, the remedy for an error code, and `howToResolveStep`, how to resolve an unknown outcome. remedies.json has the texts of the
 * local check, the input and the runner; for a code of the service what to do in a run, after cause and remedy in `KNOWN_ERRORS`.
 */
import { KNOWN_ERRORS, type KnownErrorCode } from '../../../errors/known-errors.js';
import type { ProblemCode } from '../../input/source.js';
import type { Step } from '../../ledger/ledger.js';
import texts from './remedies.json' with { type: 'json' };

const REMEDIES: Readonly<Record<string, string> & Record<Exclude<ProblemCode, KnownErrorCode>, string>> = texts.ofCodes;
const SETTLING: Readonly<Record<Step, string>> = texts.ofSteps;

const GENERAL =
  'Look at the field that the attr names and at the words of the service in its own documentation; ask the operator what the code means.';

export function remedyOf(code: string): string {
  const known = Object.hasOwn(KNOWN_ERRORS, code) ? KNOWN_ERRORS[code as KnownErrorCode] : undefined;
  const own = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  const remedy = [known?.cause, known?.action, own].filter((text) => text !== undefined).join(' ');
  if (remedy !== '') return remedy;
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined
    ? GENERAL
    : `The service answered with status ${status} and no error code. Ask the operator what it means.`;
}

/** Returns how to resolve an unknown outcome. */
export function howToResolveStep(step: Step): string {
  return SETTLING[step];
}

/** Returns how to continue an unfinished record, by the step of its intent. */
export function howToContinue(intent: Step | null): string {
  // A staging request without an answer is sent again.
  return `${howToResolveStep(intent === null || intent === 'stage' ? 'check' : intent)} The run needs its line in the input for that.`;
}
