import { expect, test } from 'vitest';
import { createLock } from '../../../src/sandbox/calls/lock.js';
import { gate } from '../../helpers/gate.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

const N = 25;
const times = <Result>(run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: N }, (_, index) => run(index)));
const count = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test('E5 stage: of 25 concurrent first stagings exactly one gets 201, the others 200', async () => {
  const { post, sandbox } = openSandbox();
  const answers = await times(() => post(STAGE, account('A-1')));
  expect([count(answers, 201), count(answers, 200)]).toEqual([1, 24]);
  expect(sandbox.state.suppliers[0]?.accounts).toHaveLength(1);
});

test('E6 process: of 25 concurrent calls for one account exactly one gets 201, the others 400 already imported', async () => {
  const { post } = openSandbox();
  await post(STAGE, account('A-1'));
  const answers = await times(() => post(PROCESS, processing('A-1')));
  expect([count(answers, 201), count(answers, 400)]).toEqual([1, 24]);
  const winner = answers.find(({ status }) => status === 201)?.body;
  for (const { status, body } of answers) {
    if (status === 400) {
      expect(body).toMatchObject({
        ...(winner as object),
        code: 'account_already_imported',
        external_account_number: 'A-1',
      });
    }
  }
});

test('E2 business: of 25 concurrent creations of one business exactly one gets 201 (U20)', async () => {
  const { post } = openSandbox();
  const body = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
  const answers = await times(() => post('business/', body));
  expect([count(answers, 201), count(answers, 400)]).toEqual([1, 24]);
});

test('E7 notes: of 25 concurrent calls with one note exactly one creates it', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  const body = {
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: 'A-1',
    notes: [{ body: 'Call back.' }],
  };
  const answers = await times(() => talk.post('notes/create/', body));
  expect(answers.filter(({ body }) => JSON.stringify(body).includes('NOTE_CREATION_SUCCESS'))).toHaveLength(1);
});

test('E8 transactions: 25 concurrent calls, each with its own transaction, are all kept', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  await times((index) =>
    talk.post('transactions/create/', {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: 'A-1',
      transactions: [{ type: 'CREDIT', transaction_id: `T-${index}`, amount: index }],
    }),
  );
  expect(talk.sandbox.state.suppliers[0]?.accounts[0]?.imported?.transactions).toHaveLength(25);
});

test('E1 populate: 25 concurrent batches of the same content have 25 ids', async () => {
  const { post } = openSandbox();
  const answers = await times(() => post('supply-point/populate/', { prm_ids: ['1'] }));
  expect(new Set(answers.map(({ body }) => (body as { batch_id: string }).batch_id)).size).toBe(25);
});

test('E10 payment instruction: concurrent tries of a vendor that fails twice are 500 twice, no more', async () => {
  const talk = openSandbox();
  await importAccount(talk, 'A-1');
  const body = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
  const instruction = { ...body, vendor: 'VENDOR', reference: 'sbx-vendor-flaky-2' };
  const answers = await times(() => talk.post('payment-instruction/create/', instruction));
  expect([count(answers, 500), count(answers, 201)]).toEqual([2, 23]);
});

test('a reset during a call: the call has no effect on the new state', async () => {
  const { post, sandbox } = openSandbox();
  await post(STAGE, account('A-1'));
  const hold = sandbox.holdProcessing();
  const held = post(PROCESS, processing('A-1'));
  await hold.waiting();
  sandbox.reset();
  hold.release();
  expect((await held).status).toBe(400);
  expect(sandbox.state.suppliers[0]?.accounts).toEqual([]);
});

test('the lock runs the tasks of one key in order, also after a failure, and tasks of other keys in parallel', async () => {
  const lock = createLock();
  const order: string[] = [];
  const { open: letGo, opened: held } = gate();
  const first = lock('a', async () => {
    await held;
    order.push('a1');
    throw new Error('a1 failed');
  });
  const second = lock('a', async () => order.push('a2'));
  await lock('b', async () => order.push('b1'));
  letGo();
  await expect(first).rejects.toThrow('a1 failed');
  await second;
  expect(order).toEqual(['b1', 'a1', 'a2']);
});

test('with the lock, a third task waits while the second of its key runs', async () => {
  const lock = createLock();
  const order: string[] = [];
  const { open: letGo, opened: held } = gate();
  const first = lock('a', async () => order.push('a1'));
  const second = lock('a', async () => {
    await held;
    order.push('a2');
  });
  await first;
  const third = lock('a', async () => order.push('a3'));
  await lock('b', async () => order.push('b1'));
  letGo();
  await Promise.all([second, third]);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
});
