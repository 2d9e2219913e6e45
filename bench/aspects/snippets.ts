/** The code of each SDK that must compile, and that must not: payloads, answers, and doubles for tests. */

/** The order of the columns of the table. */
export const SDKS = ['data-import-sdk', 'openai', 'stripe', '@octokit/rest', 'ky', '@notionhq/client'] as const;
export type Sdk = (typeof SDKS)[number];

export interface Snippets {
  /** Imports, and `client`. */
  head: string;
  /** A payload that is right, then the same with: a misspelt field, a misspelt nested field, a wrong type, a field left out. */
  payloads: readonly [right: string, ...wrong: [string, string, string, string]];
  /** Fields of answers that exist, each with the same expression misspelt. */
  answers: readonly (readonly [right: string, misspelt: string])[];
  /** A double of a method for a test, by the means of the SDK and without a cast. */
  double: string;
}

const ACCOUNT = `import_supplier: 'ACME', external_account_number: 'A-1'`;
const ISSUE = `owner: 'ada', repo: 'notes', title: 'T'`;
const MESSAGES = `model: 'm', messages: [{ role: 'user', content: 'x' }]`;

export const SNIPPETS: Readonly<Record<Sdk, Snippets>> = {
  'data-import-sdk': {
    head: `import { callPromise, DataImportClient } from 'data-import-sdk';
const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'token' });
const account = { ${ACCOUNT} };
const ids = { import_supplier_code: 'ACME', external_account_number: 'A-1' };`,
    payloads: [
      `await client.accounts.stage({ ${ACCOUNT}, customers: [{ landline: '' }] });`,
      `await client.accounts.stage({ ${ACCOUNT}, custommers: [] });`,
      `await client.accounts.stage({ ${ACCOUNT}, customers: [{ landlin: '' }] });`,
      `await client.accounts.stage({ import_supplier: 'ACME', external_account_number: 7 });`,
      `await client.accounts.stage({ external_account_number: 'A-1' });`,
    ],
    answers: [
      [
        `(await client.accounts.stage(account)).external_account_number;`,
        `(await client.accounts.stage(account)).external_account_numbr;`,
      ],
      [`(await client.imports.status(ids)).status;`, `(await client.imports.status(ids)).statuss;`],
      [
        `(await client.imports.all('ACME'))[0]?.service_account_number;`,
        `(await client.imports.all('ACME'))[0]?.service_accountnumber;`,
      ],
    ],
    double: `const double: Pick<typeof client.imports, 'status'> = {
  status: () => callPromise({ status: 'UNKNOWN', service_account_number: '' }),
};`,
  },
  openai: {
    head: `import OpenAI from 'openai';\nconst client = new OpenAI({ apiKey: 'token' });`,
    payloads: [
      `await client.chat.completions.create({ ${MESSAGES}, temperature: 1 });`,
      `await client.chat.completions.create({ ${MESSAGES}, temprature: 1 });`,
      `await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'x', nmae: 'n' }] });`,
      `await client.chat.completions.create({ model: 7, messages: [] });`,
      `await client.chat.completions.create({ model: 'm' });`,
    ],
    answers: [
      [`(await client.models.retrieve('m')).created;`, `(await client.models.retrieve('m')).creatd;`],
      [
        `(await client.chat.completions.create({ ${MESSAGES} })).choices[0]?.message;`,
        `(await client.chat.completions.create({ ${MESSAGES} })).choices[0]?.mesage;`,
      ],
      [`(await client.models.list()).data[0]?.id;`, `(await client.models.list()).data[0]?.idd;`],
    ],
    double: `const double: Pick<typeof client.models, 'retrieve'> = {
  retrieve: async () => ({ id: 'm', created: 0, object: 'model', owned_by: 'a' }),
};`,
  },
  stripe: {
    head: `import Stripe from 'stripe';\nconst client = new Stripe('token');`,
    payloads: [
      `await client.paymentIntents.create({ currency: 'eur', amount: 1, shipping: { name: 'A', address: { city: '' } } });`,
      `await client.paymentIntents.create({ currency: 'eur', amount: 1, descripton: '' });`,
      `await client.paymentIntents.create({ currency: 'eur', amount: 1, shipping: { name: 'A', address: { cty: '' } } });`,
      `await client.paymentIntents.create({ currency: 7, amount: 1 });`,
      `await client.paymentIntents.create({ currency: 'eur' });`,
    ],
    answers: [
      [`(await client.paymentIntents.retrieve('p')).amount;`, `(await client.paymentIntents.retrieve('p')).amonut;`],
      [`(await client.customers.list()).data[0]?.email;`, `(await client.customers.list()).data[0]?.emial;`],
      [
        `(await client.balance.retrieve()).available[0]?.amount;`,
        `(await client.balance.retrieve()).available[0]?.amonut;`,
      ],
    ],
    double: `const double: Pick<typeof client.balance, 'retrieve'> = {
  retrieve: async () => ({ object: 'balance', available: [], pending: [], livemode: false }),
};`,
  },
  '@octokit/rest': {
    head: `import { Octokit } from '@octokit/rest';\nconst client = new Octokit({ auth: 'token' });`,
    payloads: [
      `await client.rest.issues.create({ ${ISSUE}, labels: [{ name: '' }] });`,
      `await client.rest.issues.create({ ${ISSUE}, boddy: '' });`,
      `await client.rest.issues.create({ ${ISSUE}, labels: [{ nmae: '' }] });`,
      `await client.rest.issues.create({ owner: 7, repo: 'notes', title: 'T' });`,
      `await client.rest.issues.create({ owner: 'ada', repo: 'notes' });`,
    ],
    answers: [
      [
        `(await client.rest.issues.get({ owner: 'a', repo: 'r', issue_number: 1 })).data.title;`,
        `(await client.rest.issues.get({ owner: 'a', repo: 'r', issue_number: 1 })).data.titel;`,
      ],
      [
        `(await client.rest.issues.listForRepo({ owner: 'a', repo: 'r' })).data[0]?.title;`,
        `(await client.rest.issues.listForRepo({ owner: 'a', repo: 'r' })).data[0]?.titel;`,
      ],
      [
        `(await client.rest.users.getAuthenticated()).data.login;`,
        `(await client.rest.users.getAuthenticated()).data.logn;`,
      ],
    ],
    double: `const double: Pick<typeof client.rest.meta, 'getZen'> = {
  getZen: async () => ({ status: 200, url: '', headers: {}, data: 'zen' }),
};`,
  },
  ky: {
    head: `import ky from 'ky';\nconst client = ky.create({ prefixUrl: 'https://api.example.com' });`,
    payloads: [
      `await client.post('accounts', { json: { ${ACCOUNT}, customers: [{ landline: '' }] } });`,
      `await client.post('accounts', { json: { ${ACCOUNT}, custommers: [] } });`,
      `await client.post('accounts', { json: { ${ACCOUNT}, customers: [{ landlin: '' }] } });`,
      `await client.post('accounts', { json: { import_supplier: 'ACME', external_account_number: 7 } });`,
      `await client.post('accounts', { json: { external_account_number: 'A-1' } });`,
    ],
    answers: [
      [`(await client.get('a').json()).status;`, `(await client.get('a').json()).statuss;`],
      [`(await client.get('b').json())[0]?.number;`, `(await client.get('b').json())[0]?.numbr;`],
      [`(await client.post('c').json()).id;`, `(await client.post('c').json()).idd;`],
    ],
    double: `const double: Pick<typeof client, 'get'> = { get: async () => new Response('{}') };`,
  },
  '@notionhq/client': {
    head: `import { Client } from '@notionhq/client';\nconst client = new Client({ auth: 'token' });`,
    payloads: [
      `await client.pages.create({ parent: { page_id: 'p' }, properties: {}, icon: null });`,
      `await client.pages.create({ parent: { page_id: 'p' }, properties: {}, icn: null });`,
      `await client.pages.create({ parent: { page_id: 'p', pge: 1 }, properties: {} });`,
      `await client.pages.create({ parent: { page_id: 7 }, properties: {} });`,
      `await client.comments.create({ rich_text: [] });`,
    ],
    answers: [
      [`(await client.pages.retrieve({ page_id: 'p' })).id;`, `(await client.pages.retrieve({ page_id: 'p' })).idd;`],
      [`(await client.users.list({})).results[0]?.name;`, `(await client.users.list({})).results[0]?.nmae;`],
      [`(await client.users.me({})).type;`, `(await client.users.me({})).tpye;`],
    ],
    double: `const double: Pick<typeof client.users, 'me'> = {
  me: async () => ({ object: 'user', id: 'u' }),
};`,
  },
};
