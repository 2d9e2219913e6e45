/** The entry points of the package, in the order of the reference: shared types come first. */
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Entry {
  /** As users import it. */
  name: string;
  /** From the root of the repository. */
  source: string;
  /** What it is, for the head of its page. */
  about: string;
}

export const ENTRIES: readonly Entry[] = [
  {
    name: 'data-import-sdk/schemas',
    source: 'schemas/index.ts',
    about:
      'The contract, with Zod as its only dependency: a schema and a type for every payload, answer and error body, and the table of operations.',
  },
  {
    name: 'data-import-sdk',
    source: 'src/index.ts',
    about:
      'The client: its methods, options, errors and guards, and the local checks. It exports the types of `data-import-sdk/schemas` as well.',
  },
  {
    name: 'data-import-sdk/sandbox',
    source: 'src/sandbox/index.ts',
    about: 'The whole service, embedded, for rehearsals and tests.',
  },
  {
    name: 'data-import-sdk/msw',
    source: 'src/sandbox/msw.ts',
    about: 'The sandbox behind MSW 2, for code that calls the service through the global fetch.',
  },
  {
    name: 'data-import-sdk/migration',
    source: 'src/migration/index.ts',
    about: 'The import of a whole input file: what the command line does, for programs.',
  },
  {
    name: 'data-import-sdk/mapping',
    source: 'src/migration/input/csv/mapping/index.ts',
    about:
      'Functions for mapping modules: dates, decimals and telephone numbers of a legacy export, and related CSV files.',
  },
  {
    name: 'data-import-sdk/opentelemetry',
    source: 'src/http/opentelemetry/index.ts',
    about: 'Spans and metrics for OpenTelemetry.',
  },
];
