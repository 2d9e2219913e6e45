/** `snapshot()`: a copy of the state as plain JSON. */
import { describe, expect, test } from 'vitest';
import { account, importAccount, openSandbox } from '../support/requests.js';

const LINE_ITEM = { rate_band: 'DAY', units: [1, 2] };

async function withAccount() {
  const talk = openSandbox();
  const metadata = JSON.parse('[{"key": "k", "value": {"__proto__": {"a": 1}, "list": [null, true, -1.5, "é", {}]}}]');
  await importAccount(talk, 'A-1', { metadata });
  const transactions = [{ type: 'SUPPLY_CHARGE', amount: 1, line_items: [LINE_ITEM] }];
  await talk.post('transactions/create/', account('A-1', { transactions }));
  return talk.sandbox;
}

describe('snapshot', () => {
  test('contains the whole state, also under names that JavaScript reserves', async () => {
    const sandbox = await withAccount();
    const { format, state } = sandbox.snapshot();
    expect(format).toBe('data-import-sdk sandbox 1');
    expect(state).toStrictEqual(sandbox.state);
    expect(JSON.stringify(state)).toBe(JSON.stringify(sandbox.state));
    expect(JSON.stringify(state.suppliers[0]?.accounts[0]?.data.metadata)).toBe(
      '[{"key":"k","value":{"__proto__":{"a":1},"list":[null,true,-1.5,"é",{}]}}]',
    );
  });

  test('has no part in common with the state', async () => {
    const sandbox = await withAccount();
    const snapshot = sandbox.snapshot();
    const before = JSON.stringify(snapshot);
    sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
    sandbox.skip('SANDBOX_SUPPLIER', 'A-2');
    sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
    expect(JSON.stringify(snapshot)).toBe(before);
  });

  test.each([
    [{ statements: {} }, 'statements'],
    [{ statements: [null] }, 'statements.0'],
    [{ notes: 'text' }, 'notes'],
    [{ last_billed_to_date: [] }, 'last_billed_to_date'],
  ])('is refused with staged data that the sandbox cannot read: %j', async (wrong, attr) => {
    const sandbox = await withAccount();
    const snapshot = sandbox.snapshot();
    const before = JSON.stringify(sandbox.state);
    Object.assign(snapshot.state.suppliers[0]?.accounts[0]?.data ?? {}, wrong);
    expect(() => sandbox.restore(snapshot)).toThrow(
      new RegExp(`^sandbox\\.restore: not a snapshot: state\\.suppliers\\.0\\.accounts\\.0\\.data\\.${attr}: `),
    );
    expect(JSON.stringify(sandbox.state)).toBe(before);
  });

  test('contains no shared objects: a change of a sent item does not change its echo', async () => {
    const { state } = (await withAccount()).snapshot();
    const [transaction] = state.suppliers[0]?.accounts[0]?.imported?.transactions ?? [];
    (transaction?.sent.line_items as object[] | undefined)?.pop();
    expect(transaction?.sent['line_items']).toEqual([]);
    expect(transaction?.data['line_items']).toEqual([LINE_ITEM]);
  });
});
