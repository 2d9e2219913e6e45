/** The endpoint that adds transactions to an imported account. */
import type { Chapter } from '../chapter.js';

export const addingTransactions: readonly Chapter[] = [
  {
    title: 'Post-import (account): transactions',
    rows: [
      {
        id: 'D179',
        says: 'POST transactions/create/',
        checks: ['C1', 'E8'],
        tests: ['E8 transactions.create', 'C1 GET on transactions/create/ is 405 and Allow says POST (U1)'],
      },
      {
        id: 'D180',
        says: 'import_supplier, external_account_number, transactions array of Transaction',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at import_supplier',
          'TransactionsPayload > C3 refuses a wrong value at external_account_number',
          'TransactionsPayload > C3 refuses a wrong value at transactions',
          'E8 transactions of all five types are added once; amounts are returned as decimals in strings',
        ],
      },
      {
        id: 'D181',
        says: 'transactions/create/: 400',
        checks: ['E8', 'U14'],
        tests: [
          'E8 transactions: a wrong type is 400 with its attr, and the batch is not kept',
          'U14 transactions/create/: by default, or 400, an account that is not imported is 400',
          'U14 transactions/create/: with 404 it is 404, as is one of an unknown supplier',
        ],
      },
      {
        id: 'D182',
        says: 'check_previously_added: boolean, default true; checks whether a transaction was already added',
        checks: ['E8'],
        tests: [
          'E8 transactions: added before is TRANSACTION_ALREADY_EXISTS, and skipped (U15)',
          'E8 transactions: with check_previously_added=false it is added again',
          'E8 shows the query parameters with their defaults',
          'E8 query parameters %j are sent as "%s"',
        ],
      },
      {
        id: 'D183',
        says: 'force_add_to_current_statement: boolean, default true …',
        checks: ['E8'],
        tests: [
          'E8 transactions: the flags written %s are the default',
          'E8 shows the query parameters with their defaults',
          'E8 transactions: the flag written "%s" is 400',
        ],
      },
      {
        id: 'D184',
        says: '… when true and a transaction date lies outside the currently open statement period, the date is changed to fall within it …',
        checks: ['E8', 'U16', 'U25'],
        tests: [
          'E8 transactions: a date outside the period is moved into it, with a description, and one note is pinned',
          'U16 with %s the date %s moves to %s, and the description and the note say so',
          'U25 with %s at %s the open period ends on %s',
        ],
      },
      {
        id: 'D185',
        says: '… a description explaining this is added to the transaction …',
        checks: ['E8'],
        tests: [
          'E8 transactions: a date outside the period is moved into it, with a description, and one note is pinned',
        ],
      },
      {
        id: 'D186',
        says: '… and a note is pinned to the account …',
        checks: ['E8'],
        tests: [
          'E8 transactions: a date outside the period is moved into it, with a description, and one note is pinned',
          'E8 transactions: one pinned note for each that was moved; a transaction without id is named by its type',
        ],
      },
      {
        id: 'D187',
        says: '… otherwise such a transaction causes an error.',
        checks: ['E8'],
        tests: [
          'E8 transactions: with force off, the first one outside the period is 400, and the batch is not kept (U15)',
          'E8 a transaction outside the open period that may not be moved fails with its id',
        ],
      },
      {
        id: 'D188',
        says: '201 body: {results: array of {status, transaction_data}}, where transaction_data echoes the transaction fields.',
        checks: ['E8'],
        tests: [
          'E8 transactions: 201, each echoed with its amount as a decimal string',
          'E8 results is not there, or true in its place',
          'E8 transactions of all five types are added once; amounts are returned as decimals in strings',
        ],
      },
      {
        id: 'D189',
        says: 'TRANSACTION_ADDED_TO_ACCOUNT (added to the account import data and the account)',
        checks: ['E8'],
        tests: [
          'E8 transactions: with check_previously_added=false it is added again',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
          'E8 transactions of all five types are added once; amounts are returned as decimals in strings',
        ],
      },
      {
        id: 'D190',
        says: 'TRANSACTION_ALREADY_EXISTS (added previously; skipped)',
        checks: ['E8', 'U15'],
        tests: [
          'E8 transactions: the same id on another account is another transaction',
          'E8 transactions: added before is TRANSACTION_ALREADY_EXISTS, and skipped (U15)',
          'E8 transactions: the same id twice in one batch is added once (U15)',
        ],
      },
      {
        id: 'D191',
        says: 'A transaction_data object may also carry a status field of value TRANSACTION_IMPORT_SUCCESS.',
        checks: ['E8', 'C8'],
        tests: [
          'E8 transactions.create',
          'C8 an undocumented status is accepted > E8 echo',
          "E8 by default, or 'none', transaction_data has no status",
          "E8 with 'success' they carry TRANSACTION_IMPORT_SUCCESS, added now or before; it is not stored",
        ],
      },
      {
        id: 'D192',
        says: 'On failure the 400 body is {status: TRANSACTION_IMPORT_ERROR, error_detail string, transaction_data of the first failing transaction} …',
        checks: ['E8', 'U15'],
        tests: [
          'E8 transactions: with force off, the first one outside the period is 400, and the batch is not kept (U15)',
          'E8 only TRANSACTION_IMPORT_ERROR marks a failing transaction',
          'E8 the failing transaction of a batch, whose fields are no errors',
          "U15 with 'prefix' the items before the failing one are stored, and recognised later",
        ],
      },
      {
        id: 'D193',
        says: '… an example cause is a transaction outside the open statement period.',
        checks: ['E8', 'U16'],
        tests: [
          'E8 a transaction outside the open period that may not be moved fails with its id',
          'E8 transactions: without any billing before, the period has no beginning (U16)',
        ],
      },
    ],
    notChecked: [],
  },
];
