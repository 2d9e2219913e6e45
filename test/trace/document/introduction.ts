/** What the service is, and what it does in general. */
import type { Chapter } from '../chapter.js';

export const introduction: readonly Chapter[] = [
  {
    title: 'Opening',
    rows: [
      {
        id: 'D1',
        says: 'Paths are relative to {base_url}.',
        checks: ['C1'],
        tests: [
          'the base URL > a path "/gateway" before the service',
          'C1 the version is part of the path: /v2/ is 404',
        ],
      },
      {
        id: 'D2',
        says: 'Bodies are JSON.',
        checks: ['C1'],
        tests: [
          'C1 malformed JSON on %s is 400',
          'C1 another content type is answered with 400, which names the type',
          'every call > %s: headers',
        ],
      },
    ],
    notChecked: [
      {
        says: 'This single document covers the whole service: a REST interface for migrating customer accounts and businesses into a supply and billing platform.',
        why: 'an introduction; the chapters say what it does',
      },
      {
        says: 'Identifiers that held the maker’s brand are written neutrally: service_account_number and service_business_id.',
        why: 'says how the document is written; the two names are in the rows of their answers',
      },
    ],
  },
  {
    title: 'What the service does',
    rows: [
      {
        id: 'D3',
        says: 'Supply point identifiers (electricity and gas point ids) can be queued for asynchronous lookup with the industry registries.',
        checks: ['E1'],
        tests: [
          'E1 populate: the lookups are queued and complete at the throttled rate, by the clock',
          'E1 supply points are queued: a batch id',
        ],
      },
      {
        id: 'D4',
        says: 'A business that has business contracts is created with all its contracts in one payload.',
        checks: ['E2'],
        tests: [
          'E2 business: the business is stored with all its contracts',
          'E2 a business with all nine terms is created',
        ],
      },
      {
        id: 'D5',
        says: 'This must be done before any account associated with that business is migrated.',
        checks: ['E4', 'E5', 'U13'],
        tests: [
          'E5 stage: a business_contract_identifier without such a contract is 400, with it 201 (U13)',
          'E4 validate: a business_contract_identifier without such a contract is 400, in the words of stage (U13)',
          'E6 process: a contract that is missing is 400 account_failed_validation, found at process (U13)',
          "E6 process: with the setting 'never' a missing contract is no error (U13)",
        ],
      },
      {
        id: 'D6',
        says: 'Account data is validated (no storage) …',
        checks: ['E4', 'I3'],
        tests: [
          'E4 validate: a domestic account is 200 with the validated data, and nothing is stored',
          'I3 validate and dry run change nothing, with any answer',
        ],
      },
      {
        id: 'D7',
        says: '… staged (stored, can be updated any number of times) …',
        checks: ['E5'],
        tests: [
          'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
          'E5 staging creates, then replaces',
        ],
      },
      {
        id: 'D8',
        says: '… then processed into a real account.',
        checks: ['E6'],
        tests: ['E6 process: 201 with the service_account_number, and staged becomes imported', 'E6 accounts.process'],
      },
      {
        id: 'D9',
        says: 'A dry run of the processing is available.',
        checks: ['E6'],
        tests: [
          'E6 process: a dry run that would succeed answers 400 with the message and creates nothing',
          'E6 accounts.dryRun',
        ],
      },
      {
        id: 'D10',
        says: 'Notes, financial transactions, historical statements and payment instructions are added to an imported account.',
        checks: ['E7', 'E8', 'E9', 'E10'],
        tests: [
          'E7 notes are added once',
          'E8 transactions of all five types are added once; amounts are returned as decimals in strings',
          'E9 historical statements are returned as they were sent',
          'E10 a payment instruction is added; a vendor that fails twice is asked again',
        ],
      },
      {
        id: 'D11',
        says: 'Payment instructions can also be added to an imported business.',
        checks: ['E3'],
        tests: [
          'E3 business payment instruction: 201 with reference and identifier, stored once',
          'E3 a payment instruction is added to a business',
        ],
      },
      {
        id: 'D12',
        says: 'Status queries: the state of one account import, or lists of account imports for one import supplier.',
        checks: ['E11', 'E12', 'E13', 'E14'],
        tests: [
          'E11 to E14 status and lists follow an account from staging to the end of the switch',
          'E12 imports.all',
          'E13 imports.pending',
        ],
      },
      {
        id: 'D13',
        says: 'An import supplier groups migrated accounts.',
        checks: ['E5', 'E12'],
        tests: [
          'E5 stage: the same number under another supplier is another account',
          "E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)",
        ],
      },
      {
        id: 'D14',
        says: 'Every payload names its import supplier by code.',
        checks: ['E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9', 'E10'],
        tests: [
          'E2 business: a business without further data, and an unknown supplier',
          'E3 business payment instruction: an unknown supplier or a missing reference is 400',
          'E4 validate: an unknown supplier is 400, and the detail lists the known ones and how to add one',
          'E5 stage: an unknown supplier is 400 account_failed_validation',
          'E6 process: an unknown supplier is 400',
          'E7 notes: an unknown account and a wrong supplier are 404',
          'E8 transactions: an account that is unknown or only staged is 400 (U14)',
          'E9 statements: an account that is unknown or only staged is 400 (U14)',
          'E10 payment instruction: an account that is unknown or only staged is 400 (U14)',
        ],
      },
      {
        id: 'D15',
        says: 'Import suppliers are created and configured by the platform operator, not through this interface.',
        checks: ['I3', 'E5'],
        tests: [
          "I3 no REST call changes a supplier's status",
          'E5 stage: an unknown supplier is 400 account_failed_validation',
          'a supplier is added and its status set; staging follows it (E5)',
        ],
      },
    ],
    notChecked: [
      {
        says: 'The service lets an external party (an import supplier) move its customers into the platform in stages.',
        why: 'an introduction; each stage has its rows',
      },
      {
        says: 'An import supplier carries configuration of migration behaviour (for example whether automated customer e-mails are sent on migration).',
        why: 'set by the operator and not seen through the interface',
      },
    ],
  },
];
