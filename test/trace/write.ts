/** `npm run trace`: writes docs/conformance.md anew. */
import { writeFileSync } from 'node:fs';
import { document } from './document.js';
import { PAGE_FILE, pageOf } from './page.js';
import { testTitles } from './titles.js';

writeFileSync(PAGE_FILE, pageOf(document, testTitles()));
