import { describe } from 'vitest';
import { behindMsw, CARRIED, testThrough } from '../../helpers/ways-in.js';

describe('behind MSW', async () => {
  testThrough(behindMsw);
  // With a query these are other modules than those of the tests in process, and declare their tests once more.
  for (const name of CARRIED) await import(/* @vite-ignore */ `../${name}.test.ts?behind-msw`);
});
