/** Reads as many lists at once as the second argument says, and prints the number of their entries and the memory of the process. */
import { DataImportClient } from '../../dist/index.js';

const [baseUrl, calls] = process.argv.slice(2);
const limits = { timeoutMs: 600_000, deadlineMs: 600_000, maxRetries: 0 };
const client = new DataImportClient({ baseUrl, token: 'a-token', ...limits });
const lists = await Promise.all(Array.from({ length: Number(calls) }, () => client.imports.all('ACME')));
await client.close();
const maxRssMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ results: lists.map(({ length }) => length), maxRssMb }));
