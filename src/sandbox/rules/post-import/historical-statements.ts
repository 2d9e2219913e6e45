/** Exports the rule of E9 `historicalStatements.create`. Statements are not deduplicated. */
import type { HistoricalStatementsPayload } from '../../../../schemas/payloads/historical-statement.js';
import type { Call, Outcome } from '../../calls/call.js';
import { invalidRequest } from '../../calls/error-answers.js';
import { missingDocuments, pathsOfStatements, referencesOf } from '../document-paths.js';
import { refuseUnlessOngoing } from '../import-suppliers.js';
import { countedChange, findImported, itemsAdded, refuseMissingAccount } from './imported-account.js';

/** 200 and 201 are both documented for this answer; a setting decides (U3). */
export function createHistoricalStatements(call: Call<HistoricalStatementsPayload>): Outcome {
  const { operation, payload, store, settings } = call;
  const found = findImported(store, payload);
  if (found === undefined) return refuseMissingAccount(call);
  const { supplier } = found;
  const paths = pathsOfStatements(payload.statements);
  const errors = missingDocuments(call, supplier, paths);
  if (errors.length > 0) return invalidRequest(operation, errors);
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier', 'post-import', settings);
  if (refusal !== undefined) return refusal;
  return {
    status: settings.historicalStatementStatus,
    body: payload,
    commit: () => {
      const documents = referencesOf(call, supplier, paths);
      return { changes: [itemsAdded(found, { statements: [...payload.statements], documents })] };
    },
    ...countedChange([payload.statements.length, 'statement', 'added']),
  };
}
