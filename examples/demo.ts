/**
 * The main job, from end to end: a sample book of businesses and accounts goes through check, stage, dry run, process
 * and post-import over real HTTP into the embedded sandbox, and ends in a report. Run: npm run demo
 */
import {
  DataImportClient,
  graphqlToken,
  isApiError,
  isDataImportError,
  isInvalidPayloadError,
  validateAccount,
} from 'data-import-sdk';
import { createSandbox, SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import pLimit from 'p-limit';
import { type BookAccount, sampleBook } from './book.js';
import { type Rejection, Report } from './report.js';

const ACCOUNTS = 200;
const AT_ONCE = 16;
const DRY_RUN_EVERY = 10;

const report = new Report();
const sandbox = createSandbox();
const server = await sandbox.listen();
const client = new DataImportClient({
  baseUrl: server.url,
  token: graphqlToken({
    url: new URL(sandbox.graphqlPath, server.url).href,
    apiKey: sandbox.apiKey,
    document: 'mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token } }',
    variables: (apiKey) => ({ input: { apiKey } }),
    select: (data) => data.obtainToken.token,
  }),
  retryBaseMs: 20,
  hooks: { onRequest: () => report.countRequest(), onRetry: () => report.countRetry() },
});

const book = sampleBook({ seed: 2026, accounts: ACCOUNTS, supplier: SANDBOX_SUPPLIER, team: SANDBOX_TEAM });
console.log(
  `A book of ${book.businesses.length} businesses and ${book.accounts.length} accounts, into ${server.url}\n`,
);

await report.step('business', book.businesses.length, async (done) => {
  for (const business of book.businesses) {
    await client.businesses.create(business);
    done();
  }
});

let accounts = await each('check', book.accounts, async ({ account }) => {
  const { findings } = validateAccount(account, { advice: false });
  return findings[0];
});
accounts = await each('stage', accounts, async ({ account }) => {
  await client.accounts.stage(account);
  return undefined;
});
await each(
  'dry run',
  accounts.filter((_, index) => index % DRY_RUN_EVERY === 0),
  async (record) => {
    await client.accounts.dryRun(processRequest(record));
    return undefined;
  },
);
accounts = await each('process', accounts, async (record) => {
  const { outcome } = await client.accounts.process(processRequest(record));
  report.count(outcome);
  return undefined;
});
await each('post-import', accounts, addPostImportItems);

report.print(book.accounts.length);
await client.close();
await server.close();

/** Takes accounts through one step, so many at once; gives back those that may go on. */
async function each(
  step: string,
  records: readonly BookAccount[],
  task: (record: BookAccount) => Promise<Rejection | undefined>,
): Promise<BookAccount[]> {
  const goingOn: BookAccount[] = [];
  const limit = pLimit(AT_ONCE);
  await report.step(step, records.length, (done) =>
    limit.map(records, async (record) => {
      const rejection = await task(record).catch(rejectionOf);
      if (rejection) report.reject(record.account.external_account_number, step, rejection);
      else goingOn.push(record);
      done();
    }),
  );
  return goingOn;
}

/** What the report needs of an error; anything that is not one of ours is a bug and ends the demo. */
function rejectionOf(error: unknown): Rejection {
  if (!isDataImportError(error)) throw error;
  const errors = isApiError(error) || isInvalidPayloadError(error) ? error.errors : [];
  return errors[0] ?? { code: error.name, attr: '' };
}

function processRequest({ account, team }: BookAccount) {
  return {
    external_account_number: account.external_account_number,
    import_supplier_code: account.import_supplier,
    operations_team_name: team,
  };
}

async function addPostImportItems({ account, ...items }: BookAccount): Promise<undefined> {
  const { import_supplier, external_account_number } = account;
  const key = { import_supplier, external_account_number };
  if (items.paymentInstruction !== undefined) {
    await client.paymentInstructions.create({ ...key, ...items.paymentInstruction });
    report.count('payment instructions');
  }
  if (items.statements.length > 0) {
    await client.historicalStatements.create({ ...key, statements: items.statements });
    report.count('statements', items.statements.length);
  }
  if (items.transactions.length > 0) {
    const { results } = await client.transactions.create({ ...key, transactions: items.transactions });
    report.count('transactions', results.length);
  }
  const results = await client.notes.create({ ...key, notes: items.notes });
  report.count('notes', results.length);
}
