/** The ledger in memory. */
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { keepsItsPromises } from './conformance.js';
import { behavesAsTheModel } from './model-property.js';

keepsItsPromises(async () => createMemoryLedger());
behavesAsTheModel(async () => createMemoryLedger());
