/** Exports the rule of E9 `historicalStatements.create`. Statements are not deduplicated. */
import type { HistoricalStatementsPayload } from '../../../../schemas/payloads/historical-statement.js';
import type { Call, Outcome } from '../../calls/call.js';
import { pathsOfStatements, referencesOf } from '../document-paths.js';
import { accountToAddTo, countedChange, itemsAdded } from './imported-account.js';

/** 200 and 201 are both documented for this answer; a setting decides (U3). */
export function createHistoricalStatements(call: Call<HistoricalStatementsPayload>): Outcome {
  const { payload, settings } = call;
  const paths = pathsOfStatements(payload.statements);
  const found = accountToAddTo(call, paths);
  if ('status' in found) return found;
  return {
    status: settings.historicalStatementStatus,
    body: payload,
    commit: () => {
      const documents = referencesOf(call, found.supplier, paths);
      return { changes: [itemsAdded(found, { statements: [...payload.statements], documents })] };
    },
    ...countedChange([payload.statements.length, 'statement', 'added']),
  };
}
