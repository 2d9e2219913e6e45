/**
 * Exports `maskOf` and `withoutSecrets`: a value of the service that a run stores may contain the token or the API key, or a line break that
 * would forge a line of an output.
 */
import { type DataImportClient, internalsOf } from '../../../client.js';
import { SECRET } from '../../../errors/items.js';
import { oneLine } from '../../shared/printable.js';
import type { ItemOutcomes } from '../items/item-outcomes.js';
import type { StepResult } from './classify-error.js';

/** Returns the function that puts `[secret]` in place of tokens and API keys of the client, codes in place of control characters, and no spaces around. */
export function maskOf(client: DataImportClient): (text: string) => string {
  const { mask } = internalsOf(client).shared.secrets;
  return (text) => oneLine(mask(text).trim());
}

/** Returns the event with masked values of the service: the number of the record, amounts of items, and codes. */
export function withoutSecrets(event: StepResult, client: DataImportClient): StepResult {
  if (event === undefined) return event;
  const mask = maskOf(client);
  if ('serviceNumber' in event && event.serviceNumber != null) event.serviceNumber = mask(event.serviceNumber);
  if (!('errors' in event || 'items' in event)) return event;
  const { errors = [], items } = event as { errors?: { code: string }[]; items?: ItemOutcomes };
  // Case and the rest of a word that contains a secret say nothing.
  for (const error of errors) if (mask(error.code).includes(SECRET)) error.code = SECRET;
  // The sums need a decimal. 0 keeps the difference to the sent amount in the report.
  for (const other of items?.otherAmounts ?? []) if (mask(other.amount).includes(SECRET)) other.amount = '0';
  return event;
}
