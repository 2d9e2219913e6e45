/** Exports `extractSample`: the extract that the operator is expected to export, with the amounts that the ledger has as confirmed. */
import { AMOUNT_TYPES } from '../../ledger/amounts.js';
import type { Ledger } from '../../ledger/ledger.js';
import { csvRow } from '../../report/result-files/csv-cell.js';
import { confirmedOf } from './compare-with-extract.js';

const HEADER = ['import_supplier', 'external_account_number', 'service_account_number', 'type', 'count', 'amount'];

/** Yields CSV: a header, and a row for each account and type with confirmed amounts. */
export async function* extractSample(ledger: Ledger): AsyncGenerator<string> {
  yield csvRow(HEADER);
  for await (const record of ledger.list({ kind: 'account' })) {
    const confirmed = confirmedOf(record);
    for (const type of AMOUNT_TYPES) {
      const { count, sum } = confirmed(type);
      if (count === 0) continue;
      const { supplier, number, serviceNumber } = record;
      yield csvRow([supplier, number, serviceNumber, type, String(count), { decimal: sum }]);
    }
  }
}
