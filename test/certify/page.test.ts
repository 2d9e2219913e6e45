/** The result of `certify` as a page: what a reader finds on it. In a browser: test/full/report-page.test.ts. */
import { expect, test } from 'vitest';
import { certifyPage } from '../../src/certify/page.js';
import { MARKUP, passedResult, richResult } from './rich-result.js';

const commandOf = (id: string) => `npx data-import-sdk certify --only ${id} -- python3 migrate.py`;
const pageOf = (result = richResult) => certifyPage(result, 'python3 migrate.py', commandOf);
/** A line for each row of a table, heading or paragraph. */
const linesOf = (page: string) =>
  page
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<\/(?:th|td)>/g, ' | ')
    .replace(/<[^>]+>/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');

test('a finding has the disturbance, the state of the service, the output of the script, the requests with times, and the remedy', () => {
  const lines = linesOf(pageOf());
  const from = lines.indexOf('Finding 1: nothing-lost, nothing-silent');
  const hurt = '&lt;script&gt;document.title=&quot;hurt&quot;&lt;/script&gt;';
  expect(lines.slice(from, lines.indexOf('Also broken by'))).toEqual([
    'Finding 1: nothing-lost, nothing-silent',
    'What the script has to do: Send the request again as it is, later (Status codes).',
    'status-500:accounts.process:2: accounts.process was answered with 500, without effect.',
    'What the service has',
    'rule | found |',
    `nothing-lost | The service lacks account ${hurt}. |`,
    'nothing-silent | The script ended with code 0, and the service lacks account A-2. |',
    'What the script reported',
    'start | end | last line of the output |',
    'start 1 | killed | |',
    `start 2 | exit code 0 | ${hurt} |`,
    'Requests before and after the disturbance',
    'seconds since the start | operation | record | answer | disturbance |',
    '0.012 | accounts.stage | account A-0000000000000000000000000000000000000001 | 201, staged | |',
    '0.020 | accounts.process | account A-2 | no answer | here |',
    `2.031 | unknown path | account ${hurt} | 404 | |`,
    'This repeats it:',
    'npx data-import-sdk certify --only status-500:accounts.process:2 -- python3 migrate.pyCopy',
  ]);
});

test('the verdict comes first, and each execution is listed', () => {
  const lines = linesOf(pageOf());
  expect(lines.slice(1, 5)).toEqual([
    'certify: python3 migrate.py',
    'Not passed: 3 findings in 5 executions',
    'Seed 7: the same seed disturbs the same requests, 1 in which the disturbance did not happen, 1 not tried: the time was over (--time).',
    'Broken: nothing-lost, nothing-twice.',
  ]);
  expect(lines).toContain('nothing-twice | Nothing twice: nothing is created a second time | 1 |');
  expect(lines.slice(lines.indexOf('Executions') + 2)).toEqual([
    'undisturbed | Nothing was disturbed. | passed | 1.2 |',
    'status-500:accounts.process:2 | accounts.process was answered with 500, without effect. | nothing-lost, nothing-silent | 1.2 |',
    'status-503:accounts.process:2 | accounts.process was answered with 503, without effect. | nothing-lost, nothing-silent | 1.2 |',
    'started-twice:1 | The script was started twice at the same time. | nothing-twice | 1.2 |',
    'outage:accounts.process:1 | After accounts.process every request was answered with 503. | did not happen | 1.2 |',
    'answer-late:accounts.process:1 | | not tried: the time was over | |',
  ]);
});

test('a passed result says so, and has no finding', () => {
  const page = pageOf(passedResult);
  expect(linesOf(page).slice(2, 5)).toEqual([
    'Passed: no finding in 2 executions',
    'Seed 7: the same seed disturbs the same requests.',
    'No rule is broken.',
  ]);
  expect(page).not.toContain('Finding');
});

test('markup of a script, a record or a command is text', () => {
  const page = certifyPage(richResult, MARKUP, () => MARKUP);
  expect(page.split('<script')).toHaveLength(2);
  expect(page).not.toContain(MARKUP);
});
