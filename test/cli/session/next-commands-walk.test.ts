/** From whatever state a user and a service bring about, the printed next command leads to an end (issue 19). */
// @module-tag long
import { testWalks } from '../../support/next-commands-walk.js';

testWalks(8, []);
