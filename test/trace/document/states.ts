/** The states of an account import, of an import supplier, and of an account's data. */
import type { Chapter } from '../chapter.js';

export const states: readonly Chapter[] = [
  {
    title: 'Account import status (returned by the status endpoint)',
    rows: [
      {
        id: 'D116',
        says: 'UNKNOWN: no account has been created yet',
        checks: ['E11'],
        tests: ['E11 status: staged is UNKNOWN with an empty number', 'E11 imports.status: UNKNOWN'],
      },
      {
        id: 'D117',
        says: 'PENDING: account created; industry switch not started',
        checks: ['E11'],
        tests: ['E11 status: imported is PENDING with the number', 'E11 imports.status: PENDING'],
      },
      {
        id: 'D118',
        says: 'IN_PROGRESS: account created; industry switch in progress',
        checks: ['E11', 'U8'],
        tests: [
          'E11 status: later IN_PROGRESS, then %s (U8)',
          'E11 to E14 status and lists follow an account from staging to the end of the switch',
        ],
      },
      {
        id: 'D119',
        says: 'REJECTED: account created; industry switch rejected',
        checks: ['E11', 'E14', 'U8'],
        tests: [
          'E11 status: later IN_PROGRESS, then REJECTED (U8)',
          'E14 imported: an account stays listed with every status of its switch',
        ],
      },
      {
        id: 'D120',
        says: 'COMPLETED: account created; industry switch completed',
        checks: ['E11', 'U8'],
        tests: ['E11 status: later IN_PROGRESS, then COMPLETED (U8)'],
      },
      {
        id: 'D121',
        says: 'Transitions between these statuses: not shown.',
        checks: ['U8', 'C8'],
        tests: [
          'U8 a status that cannot follow is refused, as is the switch of what is not imported',
          'U8 by default the clock moves no switch',
          'U8 on a schedule it goes PENDING, IN_PROGRESS, and with a rejected share of %i ends %s',
          'C8 an undocumented status is accepted > E11 account import',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Import supplier status (set by the platform operator)',
    rows: [
      {
        id: 'D122',
        says: 'Ongoing: in use; accepts new accounts for migration',
        checks: ['E5'],
        tests: [
          'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
          'a supplier is added and its status set; staging follows it (E5)',
        ],
      },
      {
        id: 'D123',
        says: 'Paused: migrations paused; attempts to migrate receive an error; more accounts are expected later',
        checks: ['E5', 'E6', 'U10'],
        tests: [
          'E5 stage: a supplier that is Paused is 400 (U10)',
          'E6 process: a supplier that is Paused is 400 (U10)',
          'E5 staging is refused while the supplier is Paused or Complete',
        ],
      },
      {
        id: 'D124',
        says: 'Complete: migrations finished; attempts to migrate receive an error; no more accounts expected',
        checks: ['E5', 'E6', 'U10'],
        tests: [
          'E5 stage: a supplier that is Complete is 400 (U10)',
          'E6 process: a supplier that is Complete is 400 (U10)',
          'E5 staging is refused while the supplier is Paused or Complete',
        ],
      },
      {
        id: 'D125',
        says: 'Transitions between these statuses: not shown.',
        checks: ['I3', 'E5'],
        tests: [
          "I3 no REST call changes a supplier's status",
          'a supplier is added and its status set; staging follows it (E5)',
          'operator > an unknown supplier or status is refused',
        ],
      },
    ],
    notChecked: [],
  },
  {
    title: 'Account data lifecycle',
    rows: [
      {
        id: 'D126',
        says: 'none → staged on stage: valid payload; account not already imported or marked to skip; supplier Ongoing; 201 returned',
        checks: ['E5'],
        tests: [
          'E5 stage: the first is 201, later ones are 200, both with supplier and account number',
          'E5 stage: of 25 concurrent first stagings exactly one gets 201, the others 200',
          'E5 accounts.stage: %i is %s',
        ],
      },
      {
        id: 'D127',
        says: 'staged → staged (data replaced) on stage: same conditions; 200 returned',
        checks: ['E5'],
        tests: [
          'E5 stage: the second replaces the whole payload: fields that it omits are removed',
          'E5 staging creates, then replaces',
        ],
      },
      {
        id: 'D128',
        says: 'staged → account created (imported) on process: referenced team exists; staged data exists; valid; not dry run; 201 with service_account_number',
        checks: ['E6', 'I1', 'I2'],
        tests: [
          'E6 process: 201 with the service_account_number, and staged becomes imported',
          'E6 process: of 25 concurrent calls for one account exactly one gets 201, the others 400 already imported',
          'I1 pending and imported are disjoint, and together they are all, at every step',
          'I2 a service_account_number never changes once issued',
        ],
      },
      {
        id: 'D129',
        says: 'staged → staged (nothing created) on process with dry_run true: would succeed; 400 with dry-run message',
        checks: ['E6', 'I3'],
        tests: [
          'E6 process: a dry run that would succeed answers 400 with the message and creates nothing',
          'E6 process: a dry run uses up no number',
          'I3 validate and dry run change nothing, with any answer',
        ],
      },
    ],
    notChecked: [],
  },
];
