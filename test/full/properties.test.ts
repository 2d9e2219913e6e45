/** What holds for every value, at length (FC_SEED repeats a run). */
import { properties } from '../helpers/properties.js';

properties(10_000);
