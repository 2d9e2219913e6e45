/** `npm run api`: writes the reports of the public API anew; `npm run api -- --check` holds them against the code. */
import { apiReports } from './api-report.js';
import { writeOrCheck } from './generated.js';

writeOrCheck({ files: await apiReports(), folders: ['etc'] }, 'api');
