/** Measures an account with 24,000 notes over one with 8,000: three times as many take three times as long if the cost of an item is constant. */
import { join } from 'node:path';
import { DataImportClient } from 'data-import-sdk';
import { inputFromRecords, runMigration } from 'data-import-sdk/migration';
import { inFolder, median, seconds } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { TEAM, TOKEN } from '../wire/accounts.js';

const FEW = 8000;
const MANY = 24_000;
const TIMES = 3;

export async function measureManyItems(sheet: Sheet<'migration'>): Promise<void> {
  const [few, many] = [sheet.size(FEW, 20), sheet.size(MANY, 60)];
  const ratios: number[] = [];
  for (let time = 0; time < sheet.size(TIMES, 1); time++) {
    const [one, other] = [await secondsOf(few), await secondsOf(many)];
    sheet.say(`${few} notes ${one.toFixed(2)} s, ${many} notes ${other.toFixed(2)} s`);
    ratios.push(other / one);
  }
  sheet.fill('items', () => ({ value: median(ratios) }));
}

/** The service answers in this process: no connection takes part in the time. */
async function secondsOf(notes: number): Promise<number> {
  const account = { import_supplier: 'SUPPLIER', external_account_number: 'A-1' };
  const input = inputFromRecords([
    { account, notes: Array.from({ length: notes }, (_, index) => ({ body: `Note ${index} of the account` })) },
  ] as never);
  const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:1', token: TOKEN, fetch: answer });
  return inFolder(async (folder) => {
    const since = performance.now();
    const { summary } = await runMigration({ client, input, folder: join(folder, 'run'), team: TEAM });
    const taken = seconds(since);
    const { sent } = summary.items.notes;
    if (sent !== notes) throw new Error(`bench: ${sent} of ${notes} notes were confirmed.`);
    await client.close();
    return taken;
  });
}

async function answer(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const path = String(url instanceof Request ? url.url : url);
  const body = JSON.parse(String(init?.body ?? '{}'));
  if (path.includes('/notes/')) {
    const results = body.notes.map((note: object) => ({ ...note, created_at: null, status: 'NOTE_CREATION_SUCCESS' }));
    return Response.json(results, { status: 201 });
  }
  if (path.includes('/account-transfer-status/')) return Response.json({ detail: 'Not found.' }, { status: 404 });
  if (body.dry_run === true) {
    return Response.json({ detail: 'Account would successfully import. Rolled back due to Dry Run.' }, { status: 400 });
  }
  const numbers = { import_supplier: 'SUPPLIER', external_account_number: 'A-1', service_account_number: 'S-1' };
  return Response.json(numbers, { status: 201 });
}
