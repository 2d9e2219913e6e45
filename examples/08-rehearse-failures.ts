/** Rehearses lost answers and errors of the service, and shows that no account is created twice. */
import { OutcomeUnknownError } from 'data-import-sdk';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const { sandbox, client, stop } = await startSandbox();

// The answer to every third process call is lost after the account is created. One call in ten fails without effect.
sandbox.faults.add({
  match: { operation: 'accounts.process' },
  when: { every: 3 },
  effect: 'drop',
  phase: 'afterCommit',
});
sandbox.faults.add({ when: { probability: 0.1 }, effect: { status: 500, body: { detail: 'Try again.' } } });

const outcomes = { created: 0, confirmed: 0 };
for (let number = 1; number <= 30; number++) {
  const external_account_number = `A-${number}`;
  await client.accounts.stage({ import_supplier: SANDBOX_SUPPLIER, external_account_number });
  const { callOutcome } = await client.accounts.process({
    external_account_number,
    import_supplier_code: SANDBOX_SUPPLIER,
    operations_team_name: SANDBOX_TEAM,
  });
  outcomes[callOutcome]++;
}
console.log('30 accounts:', outcomes);

// The request log of the sandbox shows that no account was created twice.
const created = sandbox.requests().filter(({ change }) => change === 'staged → imported');
console.log('created by the service:', new Set(created.map(({ account }) => account)).size, 'of', created.length);

// The answer to a statement is lost. The client cannot find out whether it was added, and throws OutcomeUnknownError.
sandbox.faults.clear();
sandbox.faults.add({ match: { operation: 'historicalStatements.create' }, effect: 'drop', phase: 'afterCommit' });
try {
  await client.historicalStatements.create({
    import_supplier: SANDBOX_SUPPLIER,
    external_account_number: 'A-1',
    statements: [{ statement_id: 'S-1' }],
  });
} catch (error) {
  if (!(error instanceof OutcomeUnknownError)) throw error;
  console.log(error.message);
}
await stop();
