/** E9 `historicalStatements.create`: statements from before the move. What comes twice is kept twice. */
import type { HistoricalStatementsPayload } from '../../../schemas/historical-statement.js';
import type { Call, Outcome } from '../call.js';
import { locateIn, pathsOfStatements } from '../documents.js';
import { findImported, refuseMissing } from './imported-accounts.js';

/** The document says 200 and 201 of the same answer; a setting says which (U3). */
export function createHistoricalStatements(call: Call<HistoricalStatementsPayload>): Outcome {
  const { payload, store, settings, bucket } = call;
  const found = findImported(store, payload);
  if (found === undefined) return refuseMissing(call);
  const { supplier, account, imported } = found;
  const documents = locateIn(bucket, supplier)(pathsOfStatements(payload.statements));
  return {
    status: settings.historicalStatementStatus,
    body: payload,
    apply: () => {
      imported.statements = [...imported.statements, ...payload.statements];
      account.documents = [...account.documents, ...documents];
    },
  };
}
