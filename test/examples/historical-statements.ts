/** Statements with every documented field, and one without the optional PDF (document: Historical statement). */
import type { HistoricalStatementsPayload } from '../../schemas/index.js';

export const historicalStatements: HistoricalStatementsPayload = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'ACC-0001',
  statements: [
    {
      bill_period_from_date: '2023-11-01',
      bill_period_to_date: '2023-12-31',
      statement_id: 'STATEMENT-0100',
      issued_date: '2024-01-05',
      number: '2024-000100',
      gross_amount: 12345,
      statement_path: '2024/STATEMENT-0100.pdf',
    },
    {
      bill_period_from_date: '2024-01-01',
      bill_period_to_date: '2024-02-29',
      statement_id: 'STATEMENT-0101',
      issued_date: '2024-03-05',
      number: '2024-000101',
      gross_amount: -8,
    },
  ],
};
