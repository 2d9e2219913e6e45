/** What the service limits, and how it changes. */
import type { Chapter } from '../chapter.js';

export const limitsAndVersioning: readonly Chapter[] = [
  {
    title: 'Limits',
    rows: [
      {
        id: 'D237',
        says: 'Concurrency limit on simultaneous account processing: optional, currently disabled; when enabled, excess process requests get 429.',
        checks: ['E6'],
        tests: [
          'E6 process: without a limit there is never a 429',
          'E6 process: over the limit is 429, nothing changed, and it succeeds after another has finished',
        ],
      },
      {
        id: 'D238',
        says: 'Outgoing request rate to industry registries for pre-population: throttled, configurable by the operator; the value is not shown in the interface.',
        checks: ['E1'],
        tests: ['E1 populate: the lookups are queued and complete at the throttled rate, by the clock'],
      },
    ],
    notChecked: [
      {
        says: 'Rate limits on the API itself: not shown.',
        why: 'the register has no entry; the client waits after a 429 of any endpoint (test/http/limits/throttling.test.ts)',
      },
      {
        says: 'Maximum payload sizes, maximum array lengths and batch sizes: not shown.',
        why: 'the register has no entry; the sandbox’s own limit of 10 MB is tested in test/sandbox/server/router.test.ts',
      },
    ],
  },
  {
    title: 'Versioning',
    rows: [
      {
        id: 'D239',
        says: 'The version is part of the path prefix: /v1/data-import/.',
        checks: ['C1'],
        tests: [
          'C1 the version is part of the path: /v2/ is 404',
          'C1 has the fourteen paths, each with its one method',
        ],
      },
      {
        id: 'D240',
        says: 'The interface evolves by adding endpoints and adding to existing endpoints.',
        checks: ['C8'],
        tests: [
          'C8 undocumented fields of an answer are kept by the client',
          'C8 undocumented fields of an answer are kept > %s',
          'C8 fields that an answer carries beyond the document are kept, and do not pass for our outcome',
        ],
      },
      {
        id: 'D241',
        says: 'Currently undocumented fields may receive a meaning in the future; clients send only documented fields.',
        checks: ['C3', 'U6'],
        tests: [
          '$name > C3 refuses each undocumented field in the object at "%s" with its own finding',
          "U6 by default, or 'refuse', each such field is an error at its attr",
        ],
      },
    ],
    notChecked: [
      {
        says: 'Behaviour and return values of existing endpoints do not change without notice.',
        why: 'a promise about the future',
      },
      {
        says: 'Version list and deprecation policy: not shown.',
        why: 'nothing to send or receive; the register has no entry',
      },
    ],
  },
];
