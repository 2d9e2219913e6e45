/** Exports `registerPhone`, the function of `phone_e164` in a query: it reads numbers as `parsePhone` of a mapping does. */
import { UNREADABLE } from '../../../validation/warnings/value-forms.js';
import { MissingPackageError } from '../../shared/missing-package.js';
import { e164Of, loadPhoneLibrary } from '../csv/mapping/parse-phone.js';

const UNKNOWN_REGION = 'phone_e164: the region is unknown; expected a country code of two capital letters, such as FR';
const MISSING_PACKAGE =
  'phone_e164: it needs the package libphonenumber-js, which is not installed. Install it with "npm install libphonenumber-js@1".';

/** Messages of the function, which have no value of a row. */
export const PHONE_FAILURES: ReadonlyMap<string, 'region' | 'package'> = new Map([
  [UNKNOWN_REGION, 'region'],
  [MISSING_PACKAGE, 'package'],
]);

/** The name of the function, which the macro `phone_e164` calls with two texts. */
export const PHONE_FUNCTION = '"#phone"';

/**
 * Registers the function. A number that it cannot read comes back with `UNREADABLE` before it, also one without a country code if the region
 * is NULL.
 */
export function registerPhone(
  { VARCHAR, DuckDBScalarFunction }: typeof import('@duckdb/node-api'),
  connection: import('@duckdb/node-api').DuckDBConnection,
): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: PHONE_FUNCTION.slice(1, -1),
      returnType: VARCHAR,
      parameterTypes: [VARCHAR, VARCHAR],
      // It is also called for NULL.
      specialHandling: true,
      mainFunction(info, rows, output) {
        const [texts, regions] = [rows.getColumnVector(0), rows.getColumnVector(1)];
        try {
          for (let row = 0; row < rows.rowCount; row++) {
            const text = texts.getItem(row) as string | null;
            output.setItem(row, text === null ? null : phoneOf(text, regions.getItem(row) as string | null));
          }
        } catch (error) {
          info.setError(error instanceof MissingPackageError ? MISSING_PACKAGE : UNKNOWN_REGION);
          return;
        }
        output.flush();
      },
    }),
  );
}

function phoneOf(text: string, region: string | null): string | null {
  if (text.trim() === '') return null;
  const country = region?.trim() || undefined;
  if (country !== undefined && !loadPhoneLibrary().isSupportedCountry(country)) throw new RangeError(UNKNOWN_REGION);
  return e164Of(text, country) ?? UNREADABLE + text;
}
