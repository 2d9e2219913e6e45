/** `npm run api`: writes the reports of the public API; `npm run api -- --check` compares them with the code. */
import { apiReports } from './api-report.js';
import { writeOrCheck } from './generated.js';

writeOrCheck({ files: await apiReports(), folders: ['etc'] }, 'api');
