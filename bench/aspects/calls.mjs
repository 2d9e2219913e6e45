/**
 * Run in a folder where the SDKs are installed: `node calls.mjs <SDK>`. Makes the same calls with each SDK at a server that it starts,
 * and prints what results, errors, stacks and log lines are, as one line of JSON.
 */
import { createServer } from 'node:http';
import { inspect } from 'node:util';

const TOKEN = 'tk_secret4711';

/** A client of each SDK without retries, and a call whose answer is the text of `BODY`. `bodyOf`: where the answer's body is. */
const SDKS = {
  'data-import-sdk': async ({ origin, timeoutMs, logger }) => {
    const { DataImportClient } = await import('data-import-sdk');
    const client = new DataImportClient({
      baseUrl: origin,
      token: TOKEN,
      ...WITHOUT_RETRIES,
      timeoutMs,
      ...(logger && { logger }),
    });
    const account = { import_supplier: 'ACME', external_account_number: 'A-1' };
    return { call: (signal) => client.accounts.stage(account, { signal }) };
  },
  openai: async ({ origin, timeoutMs, logger }) => {
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({
      baseURL: origin,
      apiKey: TOKEN,
      maxRetries: 0,
      timeout: timeoutMs,
      ...(logger && { logger }),
    });
    return { call: (signal) => client.models.retrieve('m', { signal }) };
  },
  stripe: async ({ origin, timeoutMs }) => {
    const { default: Stripe } = await import('stripe');
    const { hostname, port } = new URL(origin);
    const client = new Stripe(TOKEN, {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: timeoutMs,
    });
    return { call: () => client.customers.create({ email: 'ada@example.com' }), cannotAbort: true };
  },
  '@octokit/rest': async ({ origin, timeoutMs, logger }) => {
    const { Octokit } = await import('@octokit/rest');
    const client = new Octokit({ baseUrl: origin, auth: TOKEN, ...(logger && { log: logger }) });
    return {
      call: (signal) =>
        client.rest.issues.create({
          ...{ owner: 'ada', repo: 'notes', title: 'T' },
          request: { signal: signal ?? AbortSignal.timeout(timeoutMs) },
        }),
      bodyOf: ({ data }) => data,
    };
  },
  ky: async ({ origin, timeoutMs }) => {
    const { default: ky } = await import('ky');
    const client = ky.create({ prefixUrl: origin, retry: 0, timeout: timeoutMs, headers: { authorization: TOKEN } });
    return { call: (signal) => client.post('accounts', { json: {}, signal }).json() };
  },
  '@notionhq/client': async ({ origin, timeoutMs, logger }) => {
    const { Client } = await import('@notionhq/client');
    const ofLogger = logger && { logger: (level, message, extra) => logger[level]?.(message, extra) };
    const client = new Client({ auth: TOKEN, baseUrl: origin, retry: false, timeoutMs, ...ofLogger });
    return { call: () => client.pages.retrieve({ page_id: 'p' }), cannotAbort: true };
  },
};

/** Also for a client whose options are grouped. */
const WITHOUT_RETRIES = process.env['OWN_RETRIES'] ? JSON.parse(process.env['OWN_RETRIES']) : { maxRetries: 0 };

/** With fields that no SDK documents; one has the name that an SDK might give to a fact. */
const BODY =
  '{"id":"m","object":"page","import_supplier":"ACME","external_account_number":"A-1","outcome":"settled","status":"x","undocumented":{"a":[1,null]}}';

const BODY_400 =
  '{"detail":"Wrong.","code":"invalid","message":"Wrong.","error":{"message":"Wrong.","code":"invalid","type":"invalid_request_error"},"errors":[{"detail":"Wrong.","code":"invalid","attr":"customers"}]}';

let answer = 'ok';
const server = createServer((request, response) => {
  request.resume();
  if (answer === 'reset') return void request.socket.destroy();
  if (answer === 'silent') return;
  const status = typeof answer === 'number' ? answer : answer === 'ok' ? 201 : 200;
  response.writeHead(status, { 'content-type': answer === 'html' ? 'text/html' : 'application/json' });
  response.end(answer === 'ok' ? BODY : answer === 'html' ? '<html>gateway</html>' : BODY_400);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const closed = 'http://127.0.0.1:9';

const name = process.argv[2];
const make = (options) => SDKS[name]({ origin, timeoutMs: 400, ...options });

/** Its name must be in the stack of every error. */
async function codeOfTheCaller(call) {
  return await call();
}

async function failureOf(how, { call, cannotAbort }) {
  const ending = new AbortController();
  answer = how === 'aborted' || how === 'timeout' ? 'silent' : how;
  if (how === 'aborted') {
    if (cannotAbort) return undefined;
    setTimeout(() => ending.abort(), 50);
  }
  try {
    await codeOfTheCaller(() => call(how === 'aborted' ? ending.signal : undefined));
    return undefined;
  } catch (error) {
    return error;
  }
}

const WAYS = [400, 401, 404, 429, 500, 'html', 'reset', 'timeout', 'aborted'];
const failures = {};
for (const how of WAYS) failures[how] = await failureOf(how, await make({}));
const refused = await make({ origin: closed });
failures.refused = await failureOf('refused', refused);

const errors = Object.values(failures);
const isTold = (error) => {
  const { code, status, statusCode, response } = error ?? {};
  return [code, status, statusCode, response?.status].some(
    (fact) => typeof fact === 'string' || typeof fact === 'number',
  );
};

answer = 'ok';
const plain = await make({});
const result = await plain.call();
const body = plain.bodyOf === undefined ? result : plain.bodyOf(result);

const lines = [];
const note =
  (level) =>
  (...words) =>
    lines.push({ level, text: words.map((word) => inspect(word, { depth: 9 })).join(' ') });
const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
const logging = await make({ logger });
lines.length = 0;
await logging.call();

console.log(
  JSON.stringify({
    isBodyUnchanged: JSON.stringify(body) === BODY,
    told: errors.filter(isTold).length,
    inStack: errors.filter((error) => String(error?.stack).includes('codeOfTheCaller')).length,
    ways: errors.length,
    untold: Object.keys(failures).filter((how) => !isTold(failures[how])),
    withoutCaller: Object.keys(failures).filter((how) => !String(failures[how]?.stack).includes('codeOfTheCaller')),
    lines: lines.length,
    isTokenLogged: lines.some(({ text }) => text.includes(TOKEN)),
    isTokenInError: errors.some((error) => inspect(error, { depth: 9, showHidden: false }).includes(TOKEN)),
  }),
);
process.exit();
