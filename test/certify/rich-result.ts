/** A result of `certify` with several findings, and with markup in everything that comes from a script or its input. */
import type { CertifyResult, ExecutionResult } from '../../src/sandbox/index.js';

export const MARKUP = '<script>document.title="hurt"</script>';

const remedy = 'Send the request again as it is, later (Status codes).';

const execution = (id: string, disturbance: string, more: Partial<ExecutionResult> = {}): ExecutionResult => ({
  id,
  disturbance,
  hasHappened: true,
  durationMs: 1234,
  broken: [],
  requests: [],
  starts: [{ exitCode: 0, output: 'done' }],
  ...more,
});

const lost: Partial<ExecutionResult> = {
  broken: [
    { rule: 'nothing-lost', detail: `The service lacks account ${MARKUP}.`, remedy },
    { rule: 'nothing-silent', detail: 'The script ended with code 0, and the service lacks account A-2.', remedy },
  ],
  requests: [
    {
      ms: 12,
      operation: 'accounts.stage',
      record: 'account A-0000000000000000000000000000000000000001',
      status: 201,
      change: 'staged',
      isDisturbed: false,
    },
    { ms: 20.4, operation: 'accounts.process', record: 'account A-2', status: null, change: null, isDisturbed: true },
    { ms: 2031, operation: null, record: `account ${MARKUP}`, status: 404, change: null, isDisturbed: false },
  ],
  starts: [
    { exitCode: null, output: '' },
    { exitCode: 0, output: MARKUP },
  ],
};

const findings = [
  execution('status-500:accounts.process:2', 'accounts.process was answered with 500, without effect.', lost),
  execution('status-503:accounts.process:2', 'accounts.process was answered with 503, without effect.', lost),
  execution('started-twice:1', 'The script was started twice at the same time.', {
    broken: [
      {
        rule: 'nothing-twice',
        detail: 'The service has more than it should: account A-1 (2 times).',
        remedy: 'Lock the folder of the state.',
      },
    ],
  }),
];

export const richResult: CertifyResult = {
  isPassed: false,
  executions: [
    execution('undisturbed', 'Nothing was disturbed.'),
    ...findings,
    execution('outage:accounts.process:1', 'After accounts.process every request was answered with 503.', {
      hasHappened: false,
    }),
  ],
  findings,
  rules: [
    { rule: 'nothing-lost', title: 'Nothing lost: the script imports everything', broken: 2 },
    { rule: 'nothing-twice', title: 'Nothing twice: nothing is created a second time', broken: 1 },
    { rule: 'no-secrets', title: 'No secrets: neither the token nor personal data is in the output', broken: 0 },
  ],
  notTried: ['answer-late:accounts.process:1'],
  isInputRead: true,
  seed: 7,
};

export const passedResult: CertifyResult = {
  ...richResult,
  isPassed: true,
  executions: [execution('undisturbed', 'Nothing was disturbed.'), execution('started-twice:1', 'Started twice.')],
  findings: [],
  rules: richResult.rules.map((rule) => ({ ...rule, broken: 0 })),
  notTried: [],
};
