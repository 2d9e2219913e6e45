/** Several states behind one server, distinguished by the token, so that test files that run at the same time can share it. */
import { describe, expect, test } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js';
import { account, askedForToken, openSandbox, posted, STAGE, type Talk, tokenIn } from './support/requests.js';

/** As the one whose token it is. */
const stageAs = async ({ request }: Talk, { token }: Sandbox, number: string) => {
  return (await request(STAGE, posted({ token }, account(number)))).status;
};

const accountsOf = ({ state }: Sandbox) =>
  state.suppliers[0]?.accounts.map(({ external_account_number }) => external_account_number);

describe('isolated states', () => {
  test('are independent of each other, and share the server', async () => {
    const talk = openSandbox();
    const one = talk.sandbox.isolated('file-1');
    const other = talk.sandbox.isolated('file-2');
    expect([one.token, other.token]).toEqual(['sandbox-token-file-1', 'sandbox-token-file-2']);
    expect(await stageAs(talk, one, 'A-1')).toBe(201);
    expect(await stageAs(talk, other, 'A-1')).toBe(201);
    expect(await stageAs(talk, one, 'A-1')).toBe(200);
    other.clock.advance(1000);
    other.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
    expect(await stageAs(talk, other, 'A-2')).toBe(400);
    expect(await stageAs(talk, one, 'A-2')).toBe(201);
    expect([accountsOf(talk.sandbox), accountsOf(one), accountsOf(other)]).toEqual([[], ['A-1', 'A-2'], ['A-1']]);
    expect(one.clock.now()).toEqual(new Date('2026-01-15T09:00:00Z'));
    expect(one.requests()).toHaveLength(3);
    one.reset();
    expect([accountsOf(one), accountsOf(other)]).toEqual([[], ['A-1']]);
  });

  test('the same name gives the same state, which its token selects', async () => {
    const talk = openSandbox();
    await talk.request(STAGE, posted({ token: 'sandbox-token-ci_7' }, account('A-1')));
    expect(accountsOf(talk.sandbox.isolated('ci_7'))).toEqual(['A-1']);
  });

  test('C6 the API key of a state gives a token of it, which opens no other', async () => {
    const talk = openSandbox({ settings: { tokenLifetimeSeconds: 60 } });
    const own = talk.sandbox.isolated('own');
    expect(own.apiKey).toBe('sandbox-api-key-own');
    const response = await talk.request(own.graphqlPath, askedForToken(own.apiKey));
    const token = tokenIn(await response.json());
    expect(await stageAs(talk, { ...own, token }, 'A-1')).toBe(201);
    expect(accountsOf(own)).toEqual(['A-1']);
    expect(await stageAs(talk, { ...own, token: token.replace('.own.', '.other.') }, 'A-1')).toBe(401);
    expect(await stageAs(talk, { ...own, token: token.replace('.own.', '.') }, 'A-1')).toBe(401);
    own.clock.advance(60_000);
    expect(await stageAs(talk, { ...own, token }, 'A-1')).toBe(401);
  });

  test('have the options of their sandbox', () => {
    const sandbox = createSandbox({ suppliers: [{ code: 'NORTH' }], faults: [{ effect: 'drop' }] });
    expect(sandbox.isolated('a').state).toEqual(sandbox.state);
  });

  test.each(['', 'a b', 'ä', 'a.b', 'x'.repeat(65)])('no token can carry the name %j', (name) => {
    expect(() => createSandbox().isolated(name)).toThrow('a name has 1 to 64 letters, digits, - or _.');
  });

  test('a thousand isolated states are the limit: one more is refused, and the others still work', async () => {
    const talk = openSandbox();
    for (let number = 1; number < 1000; number++) talk.sandbox.isolated(`n${number}`);
    expect(() => talk.sandbox.isolated('n1000')).toThrow(
      'too many isolated states; no state for n1000. Use fewer names.',
    );
    expect((await talk.request(STAGE, posted({ token: 'sandbox-token-n1000' }, account('A-1')))).status).toBe(401);
    expect(await stageAs(talk, talk.sandbox, 'A-1')).toBe(201);
  });
});
