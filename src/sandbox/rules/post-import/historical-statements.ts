/** E9 `historicalStatements.create`: statements from before the move. What comes twice is kept twice. */
import type { HistoricalStatementsPayload } from '../../../../schemas/payloads/historical-statement.js';
import type { Call, Outcome } from '../../calls/call.js';
import { invalidRequest } from '../../calls/error-answers.js';
import { missingDocuments, pathsOfStatements, referencesOf } from '../document-paths.js';
import { refuseUnlessOngoing } from '../import-suppliers.js';
import { countedChange, findImported, itemsAdded, refuseMissingAccount } from './imported-account.js';

/** The document says 200 and 201 of the same answer; a setting says which (U3). */
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
