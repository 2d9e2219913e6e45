/** What tests get in place of `typescript` (vitest.config.ts), since the loader of ES modules reads its nine megabytes twice more. */
import { createRequire } from 'node:module';

export default createRequire(import.meta.url)('typescript') as typeof import('typescript');
