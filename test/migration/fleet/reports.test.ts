/** What a worker tells the others: events that are gathered between two reports. */
import { expect, test } from 'vitest';
import { gatherReports } from '../../../src/migration/fleet/reports.js';

test('a failed call is reported with its host, so that the coordinator can name it', () => {
  const gathered = gatherReports();
  gathered.add(['failed', '', 'ECONNREFUSED', 'stage', 'ACME', 'api.example.com:8443', 0]);
  gathered.add(['failed', '', 'server_error', 'stage', 'ACME', 'api.example.com:8443', 500]);
  expect(gathered.take(0)?.events).toEqual([
    ['failed', '', 'ECONNREFUSED', 'stage', 'ACME', 'api.example.com:8443', 0],
    ['failed', '', 'server_error', 'stage', 'ACME', 'api.example.com:8443', 500],
  ]);
});

test('code, supplier and host of a failed call are cut to 100 characters', () => {
  const gathered = gatherReports();
  const long = 'x'.repeat(101);
  gathered.add(['failed', '', long, 'stage', long, long, 0]);
  const cut = 'x'.repeat(100);
  expect(gathered.take(0)?.events).toEqual([['failed', '', cut, 'stage', cut, cut, 0]]);
});
