/** `npm run fidelity`: writes docs/fidelity.md and docs/fidelity.json. */
import { writeFileSync } from 'node:fs';
import { document } from './document.js';
import { DATA_FILE, dataOf, fidelityOf, PAGE_FILE, pageOf } from './fidelity.js';
import { testTitles } from './titles.js';

const fidelity = fidelityOf(document, testTitles());
writeFileSync(PAGE_FILE, pageOf(fidelity));
writeFileSync(DATA_FILE, dataOf(fidelity));
