/** The baseline for the client: `Pool.request` of undici with JSON in both directions. */

import { Pool } from 'undici';
import type { Contestant } from '../frame/contest.js';
import { HEADERS, PATH, type Stage } from './accounts.js';
import { type Load, load } from './load.js';

export function bareLoop(origin: string, what: Load): Contestant {
  const pool = new Pool(origin, { connections: what.inFlight });
  const stage: Stage = async (account) => {
    const body = JSON.stringify(account);
    const answer = await pool.request({ method: 'POST', path: PATH, headers: HEADERS, body });
    return answer.body.json();
  };
  return { turn: () => load(stage, what), close: () => pool.close() };
}
