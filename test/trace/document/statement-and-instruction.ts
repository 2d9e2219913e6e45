/** Historical statements and payment instructions. */
import type { Chapter } from '../chapter.js';

export const statementAndInstruction: readonly Chapter[] = [
  {
    title: 'Historical statement',
    rows: [
      {
        id: 'D111',
        says: 'bill_period_from_date date, bill_period_to_date date, statement_id string, issued_date date, number string, gross_amount number',
        checks: ['C3', 'E9'],
        tests: [
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.bill_period_from_date',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.bill_period_to_date',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.statement_id',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.issued_date',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.number',
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.gross_amount',
          'E9 statements: 201 with the validated data, stored (U3)',
          'E9 statements: invalid is 400 with its attr, and none of the request is stored',
        ],
      },
      {
        id: 'D112',
        says: 'statement_path string (optional; location of the PDF)',
        checks: ['C3', 'C7', 'U9'],
        tests: [
          'HistoricalStatementsPayload > C3 refuses a wrong value at statements.0.statement_path',
          'HistoricalStatementsPayload > U9 does not require statements.0.statement_path',
          'C7 documents of notes and statements after the import are added; those of a note that exists are not',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Payment instruction (account and business)',
    rows: [
      {
        id: 'D113',
        says: 'vendor string (payment vendor code), reference string',
        checks: ['C3', 'E3', 'E10'],
        tests: [
          'PaymentInstruction > C3 refuses a wrong value at vendor',
          'PaymentInstruction > C3 refuses a wrong value at reference',
          'BusinessPaymentInstruction > C3 refuses a wrong value at vendor',
          'BusinessPaymentInstruction > C3 refuses a wrong value at reference',
          'E10 payment instruction: a missing field is 400',
          'E3 business payment instruction: an unknown supplier or a missing reference is 400',
        ],
      },
      {
        id: 'D114',
        says: 'type string (value CARD seen)',
        checks: ['C3', 'U7'],
        tests: [
          'PaymentInstruction > C3 refuses a wrong value at type',
          'BusinessPaymentInstruction > C3 refuses a wrong value at type',
          'U7 open: an undocumented value passes > payment instruction type',
          'U7 open: an undocumented value passes > business payment instruction type',
        ],
      },
      {
        id: 'D115',
        says: 'The service contacts the upstream payment vendor to verify the instruction exists …',
        checks: ['E3', 'E10'],
        tests: [
          'E3 business payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
          'E10 payment instruction: an unreachable vendor is 400 on every try, and nothing is stored',
          'E10 payment instruction: a vendor that fails once is 500 once for each instruction, then 201, stored once',
        ],
      },
    ],
    notChecked: [
      {
        says: '… and to fetch its details for storage.',
        why: 'the details that the vendor has of an instruction are not specified, and no answer returns it',
      },
    ],
  },
];
