/**
 * Exports `loggedByPino`, the lines that pino writes for an error, in the ways in which programs pass it; and `hasForeignCause`. pino
 * prints the messages of all causes: that of an error which the caller's own function threw is the caller's.
 */
import { isDataImportError } from 'data-import-sdk';
import { pino } from 'pino';

export function hasForeignCause({ cause }: { cause?: unknown }): boolean {
  return cause !== undefined && (!isDataImportError(cause) || hasForeignCause(cause));
}

export function loggedByPino(error: Error): string {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  logger.error(error);
  logger.error({ err: error }, 'failed');
  logger.error({ error, deep: [{ error }] });
  logger.error(new Error('around it', { cause: error }));
  logger.error(new AggregateError([error], 'around it'));
  return lines.join('');
}
