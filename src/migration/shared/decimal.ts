/**
 * Exports exact decimal numbers for sums of amounts: `DecimalSum` adds amounts, `decimalText` writes one value as canonical text. No sum
 * is ever rounded: a number counts as the digits that JavaScript prints for it, so 0.1 is one tenth.
 */

/** The value `units / 10 ** scale`. */
interface Decimal {
  units: bigint;
  scale: number;
}

const ZERO: Decimal = { units: 0n, scale: 0 };

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Longest text that is read: longer than any number that JavaScript prints. */
const MOST_CHARACTERS = 400;

/** A plain amount with at most two decimals, and with so few digits that no two such texts are the same number. */
const PLAIN = /^-?\d{1,12}(?:\.\d{1,2})?$/;

/** Largest sum, in hundredths, that is kept as a number: adding an amount to it is still exact. */
const MOST_HUNDREDTHS = 1e15;

/** Adds decimals without rounding. */
export class DecimalSum {
  /** Sum of the amounts with at most two decimals, in hundredths: an integer that JavaScript adds exactly, and faster than a BigInt. */
  #hundredths = 0;
  /** Sum of all other amounts. */
  #others = ZERO;

  /** Adds a number, or the text of one. Returns whether it is one; anything else adds nothing. `sign`: -1 to subtract it. */
  add(value: unknown, sign: 1 | -1 = 1): boolean {
    const hundredths = hundredthsOf(value);
    if (hundredths !== undefined) {
      this.addHundredths(sign * hundredths);
      return true;
    }
    const decimal = decimalOf(value);
    if (decimal === undefined) return false;
    this.#others = added(this.#others, sign === 1 ? decimal : negated(decimal));
    return true;
  }

  /** Adds a safe integer of hundredths. */
  addHundredths(hundredths: number): void {
    if (Math.abs(hundredths) > MOST_HUNDREDTHS) this.#moveToOthers();
    this.#hundredths += hundredths;
    if (Math.abs(this.#hundredths) > MOST_HUNDREDTHS) this.#moveToOthers();
  }

  /** Returns the sum as canonical text. */
  text(): string {
    if (this.#others.units === 0n) return hundredthsText(this.#hundredths);
    return textOf(added(this.#others, { units: BigInt(this.#hundredths), scale: 2 }));
  }

  #moveToOthers(): void {
    this.#others = added(this.#others, { units: BigInt(this.#hundredths), scale: 2 });
    this.#hundredths = 0;
  }
}

/** Number and sum of amounts. */
export class AmountTotal {
  count = 0;
  readonly #sum = new DecimalSum();

  /** `sign`: -1 to subtract them. */
  add({ count, sum }: { count: number; sum: unknown }, sign: 1 | -1 = 1): void {
    this.count += sign * count;
    this.#sum.add(sum, sign);
  }

  total(): { count: number; sum: string } {
    return { count: this.count, sum: this.#sum.text() };
  }
}

/** Returns `one` less `other`, both as text. */
export function differenceOf(one: string, other: string): string {
  const sum = new DecimalSum();
  sum.add(one);
  sum.add(other, -1);
  return sum.text();
}

/** Returns a number, or the text of one, as canonical text without an exponent and trailing zeros; undefined for anything else. */
export function decimalText(value: unknown): string | undefined {
  const sum = new DecimalSum();
  return sum.add(value) ? sum.text() : undefined;
}

export function isDecimal(value: unknown): boolean {
  return hundredthsOf(value) !== undefined || decimalOf(value) !== undefined;
}

/** Returns whether both are the same decimal. */
export function isSameDecimal(one: unknown, other: unknown): boolean {
  const hundredths = hundredthsOf(one);
  const others = hundredthsOf(other);
  if (hundredths !== undefined && others !== undefined) return hundredths === others;
  return decimalText(one) === decimalText(other);
}

/** Returns canonical text with at least two decimals and with commas: `12,345.60`. */
export function amountInWords(text: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return `${sign}${BigInt(whole).toLocaleString('en-GB')}.${fraction.padEnd(2, '0')}`;
}

/**
 * Returns a value with at most two decimals in hundredths; undefined for others. Exact: two different decimals of at most 15 digits are
 * never the same number, so a number that equals `hundredths / 100` is printed with exactly these digits.
 */
export function hundredthsOf(value: unknown): number | undefined {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && PLAIN.test(value) ? Number(value) : Number.NaN;
  const hundredths = Math.round(number * 100);
  return hundredths / 100 === number && Math.abs(hundredths) < MOST_HUNDREDTHS ? hundredths : undefined;
}

function hundredthsText(hundredths: number): string {
  const absolute = Math.abs(hundredths);
  const rest = absolute % 100;
  const whole = `${hundredths < 0 ? '-' : ''}${(absolute - rest) / 100}`;
  if (rest === 0) return whole;
  return `${whole}.${rest % 10 === 0 ? rest / 10 : String(rest).padStart(2, '0')}`;
}

function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = String(value);
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    text.length > MOST_CHARACTERS ? [] : (DECIMAL.exec(text) ?? []);
  if (sign === undefined || whole.length + fraction.length === 0) return undefined;
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  return inShortestForm({ units, scale: fraction.length - Number(exponent) });
}

/** Without trailing zeros, and without a negative scale: 1e3 becomes 1000. */
function inShortestForm({ units, scale }: Decimal): Decimal {
  if (units === 0n) return ZERO;
  if (scale < 0) return { units: units * 10n ** BigInt(-scale), scale: 0 };
  let [rest, places] = [units, scale];
  for (; places > 0 && rest % 10n === 0n; places--) rest /= 10n;
  return { units: rest, scale: places };
}

function added(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  const inUnits = ({ units, scale: own }: Decimal) => units * 10n ** BigInt(scale - own);
  return inShortestForm({ units: inUnits(one) + inUnits(other), scale });
}

function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

function textOf({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction}`;
}
