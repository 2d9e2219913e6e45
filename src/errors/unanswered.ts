/** What the errors about missing answers have in common. */
import type { NextAction } from './data-import-error.js';

export interface UnansweredFacts {
  operation: string;
  attempts: number;
  /** Host and port of the service. */
  host: string;
  /** False if it is certain that no request left. */
  sent: boolean;
  /** Whether sending it again can do no harm. */
  repeatable: boolean;
  /** What stood in the way, where that was neither the network nor the service. */
  obstacle?: { what: string; remedy: string; isFinal: boolean } | undefined;
  /** Whether an earlier request of the same call may have succeeded. */
  mayHaveSucceeded?: boolean;
}

/** What to do when no answer came; as a sentence and as a word. */
export function remedyFor({ attempts, sent, repeatable, obstacle }: UnansweredFacts): {
  sentence: string;
  nextAction: NextAction;
} {
  if (!sent && obstacle !== undefined) {
    const sentence = `Nothing was sent: ${obstacle.remedy}.`;
    return { sentence, nextAction: obstacle.isFinal ? 'none' : 'retryLater' };
  }
  if (attempts === 0) return { sentence: 'Nothing was sent: it is safe to call again.', nextAction: 'retryLater' };
  if (!sent) return { sentence: 'Nothing was sent: check the base URL and the network.', nextAction: 'retryLater' };
  if (repeatable) return { sentence: 'It is safe to call again.', nextAction: 'retryLater' };
  return { sentence: 'The platform may have done it.', nextAction: 'settle' };
}

export function attemptsInWords(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}
