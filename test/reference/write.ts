/** `npm run reference`: writes docs/reference/ and docs/unspecified-behaviour.md; `-- --check` compares them with the code. */
import { writeOrCheck } from './generated.js';
import { referencePages } from './pages.js';

writeOrCheck(await referencePages(), 'reference');
