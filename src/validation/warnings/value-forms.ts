/** Exports checks of the form of a value that go beyond the schemas. */

/** Returns whether the text has 14 digits with a valid check digit (Luhn: every second digit from the right is doubled). */
export function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret)) return false;
  let sum = 0;
  for (let index = 0; index < siret.length; index++) {
    const value = Number(siret[index]) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Returns whether the number has more than ten digits on either side of the decimal point. */
export function isLongDecimal(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Most numbers are whole; `toFixed` costs more than all other rules.
  return Math.abs(value) >= 1e10 || (!Number.isInteger(value) && Number(value.toFixed(10)) !== value);
}

/**
 * Returns whether a document path can resolve: the service prepends only bucket and root (spec: Conventions), so a scheme, a
 * backslash or `..` cannot work.
 */
export function isDocumentPath(path: string): boolean {
  return path.trim() !== '' && !/^[a-z][\w+.-]*:\/\/|^[a-z]:|\\/i.test(path) && !path.split('/').includes('..');
}
