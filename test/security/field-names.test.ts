/** Undocumented names of fields: they may be personal data, such as the name of a customer as a key. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DataImportClient, validateAccount } from '../../src/index.js';
import { openFolder, openService, run } from '../cli/typed.js';

const { at, inputFile } = openFolder();

const NUMBERS = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
const NAMED = { ...NUMBERS, 'Ottoline Brumelle': 'x' };
const MISSPELT = { ...NUMBERS, biling_adress1: '7 Hill Street' };

function clientThatAnswers(status: number, body: unknown, more: object = {}) {
  const answer = () => new Response(JSON.stringify(body), { status });
  return new DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: 't0ken', fetch: async () => answer(), ...more });
}

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: Error & { errors: { attr: string }[]; toJSON(): object }) => error,
  );

describe('the name of an unknown field', () => {
  it('is * in message and JSON of the error of a payload, and stays in its errors for the program', async () => {
    const error = await errorOf(clientThatAnswers(200, {}).accounts.stage(NAMED as never));
    expect(error?.message).toBe(
      'accounts.stage: invalid_payload, * unknown_field (error.errors has the name). Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect(error?.toJSON()).toMatchObject({ errors: [{ code: 'unknown_field', attr: '*' }] });
    expect(inspect(error)).not.toContain('Brumelle');
    expect(error?.errors).toMatchObject([{ attr: 'Ottoline Brumelle' }]);
  });

  it('is * if the service names it', async () => {
    const body = { code: 'invalid', errors: [{ detail: 'x', code: 'unknown', attr: 'customers.0.Brumelle' }] };
    const error = await errorOf(clientThatAnswers(400, body).accounts.stage(NUMBERS));
    expect(error?.message).toBe(
      'accounts.stage: 400 invalid, customers.0.* unknown. Not retried: fix the payload. [validation-error]',
    );
    expect(error?.toJSON()).toMatchObject({ errors: [{ code: 'unknown', attr: 'customers.0.*' }] });
    expect(error?.errors).toMatchObject([{ attr: 'customers.0.Brumelle' }]);
  });

  it('is shown if the profile has it', async () => {
    const profile = { fields: { Account: { 'agreed_list.*.agreed_field': 'integer' as const } } };
    const client = clientThatAnswers(200, {}, { profile });
    const payload = { ...NUMBERS, agreed_list: [{ agreed_field: 'Brumelle' }] };
    expect((await errorOf(client.accounts.stage(payload as never)))?.toJSON()).toMatchObject({
      errors: [
        { code: 'unknown_field', attr: 'agreed_list' },
        { code: 'invalid_type', attr: 'agreed_list.0.agreed_field' },
      ],
    });
  });

  it.each([['run', '--run', at('run')], ['check', '--json'], ['check']])(
    'is in no output and no file of %s, except in the line itself',
    async (command, ...flags) => {
      await openService();
      const path = inputFile(
        'named.jsonl',
        { account: NAMED },
        { account: { ...NUMBERS, external_account_number: 'A-2' } },
      );
      const { code, out, err } = await run(command, path, ...flags);
      expect([code, out + err]).toEqual([3, expect.not.stringContaining('Brumelle')]);
      if (command !== 'run') return expect(out).toContain('account.*');
      for (const name of readdirSync(at('run'))) {
        // It has the line until it is corrected.
        if (name === 'ledger.sqlite') continue;
        const text = readFileSync(join(at('run'), name), 'latin1').replace(/"original":"(?:[^"\\]|\\.)*"/g, '');
        expect([name, text]).toEqual([name, expect.not.stringContaining('Brumelle')]);
      }
      const [rejected = ''] = readFileSync(at('run/rejected.jsonl'), 'utf8').split('\n');
      expect(JSON.parse(rejected)).toMatchObject({
        line: 1,
        number: 'A-1',
        errors: [{ step: 'check', code: 'unknown_field', attr: 'account.*' }],
      });
    },
  );

  it('is shown by check and run with --show-personal-data', async () => {
    await openService();
    const path = inputFile('shown.jsonl', { account: NAMED });
    const { out } = await run('check', path, '--show-personal-data');
    expect(out).toContain('shown.jsonl:1: error account.Ottoline Brumelle unknown_field');
    await run('run', path, '--run', at('shown'), '--show-personal-data');
    expect(readFileSync(at('shown/rejected.jsonl'), 'utf8')).toContain('"attr":"account.Ottoline Brumelle"');
  });
});

describe('a misspelt field', () => {
  const HINT = 'did you mean `billing_address1`?';

  it('is found by the documented name that is closest to it, of several one that the object does not have yet', () => {
    expect(validateAccount(MISSPELT).findings).toMatchObject([
      {
        code: 'unknown_field',
        attr: 'biling_adress1',
        detail: 'This field is not documented; only documented fields may be sent. Did you mean `billing_address1`?',
        didYouMean: 'billing_address1',
      },
    ]);
    const inside = { ...NUMBERS, billing_address1: 'x', biling_address: 'x', customers: [{ Title: 'Dr', hobby: 'x' }] };
    expect(validateAccount(inside).findings.map(({ attr, didYouMean }) => [attr, didYouMean])).toEqual([
      ['customers.0.Title', 'title'],
      ['customers.0.hobby', undefined],
      ['biling_address', 'billing_address2'],
    ]);
    expect(validateAccount({ ...NUMBERS, sales_channel: 'x', sale_chanel: 'x' }).findings).toMatchObject([
      { didYouMean: 'sales_channel' },
    ]);
  });

  it('is named so by the message of the error', async () => {
    expect((await errorOf(clientThatAnswers(200, {}).accounts.stage(MISSPELT as never)))?.message).toBe(
      `accounts.stage: invalid_payload, * unknown_field (${HINT}). Nothing was sent: fix the payload. [invalid-payload-error]`,
    );
  });

  it('is * in the output of check and in the files of a run', async () => {
    await openService();
    const path = inputFile('misspelt.jsonl', { account: MISSPELT });
    const { out } = await run('check', path);
    expect(out).toContain('misspelt.jsonl:1: error account.* unknown_field: This field is not documented;');
    expect(out).toContain(`        1  error unknown_field at account.* (${HINT})\n`);
    await run('run', path, '--run', at('misspelt'));
    expect(readFileSync(at('misspelt/report.html'), 'utf8')).toContain(`account.* (${HINT})`);
    expect(readFileSync(at('misspelt/rejected.jsonl'), 'utf8')).toContain('"didYouMean":"billing_address1"');
    // Read again by the next session and by `report`.
    await run('report', '--run', at('misspelt'));
    expect(readFileSync(at('misspelt/report.html'), 'utf8')).toContain(`account.* (${HINT})`);
  });
});
