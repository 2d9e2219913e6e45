/** What holds for every value, in a few hundred of them; test/full looks at ten thousand (FC_SEED repeats a run). */
// @module-tag long
import { properties } from '../helpers/properties.js';

properties(300);
