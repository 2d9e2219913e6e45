import { describe } from 'vitest';
import { CARRIED, overHttp, testThrough } from '../../helpers/ways-in.js';

describe('over HTTP', async () => {
  testThrough(overHttp);
  // With a query these are other modules than those of the tests in process, and declare their tests once more.
  for (const name of CARRIED) await import(/* @vite-ignore */ `../${name}.test.ts?over-http`);
});
