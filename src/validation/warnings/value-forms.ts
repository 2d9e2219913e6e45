/** Forms that a value may have, beyond what the schemas demand. */

/** 14 digits, and the sum with every second digit doubled, counted from the right, is a multiple of ten. */
export function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret)) return false;
  let sum = 0;
  for (let index = 0; index < siret.length; index++) {
    const value = Number(siret[index]) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** More than the ten digits each side of the point that fit. */
export function isLongDecimal(value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Most are whole, and to write a number out costs more than all other rules.
  return Math.abs(value) >= 1e10 || (!Number.isInteger(value) && Number(value.toFixed(10)) !== value);
}
