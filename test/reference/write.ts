/** `npm run reference`: writes docs/reference/ and docs/unspecified-behaviour.md anew; `-- --check` holds them against the code. */
import { writeOrCheck } from './generated.js';
import { referencePages } from './pages.js';

writeOrCheck(await referencePages(), 'reference');
