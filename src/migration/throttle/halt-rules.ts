/** The halt rules of a run (`--halt fail=2%,min=1000,same=50`), and their text form. `HaltMonitor` applies them. */

/** Failure rates at which a run stops itself. */
export interface HaltRules {
  /** Share of rejected records, 0 to 1, at which the run halts; undefined for none. */
  fail: number | undefined;
  /** Number of ended records from which the share counts. */
  min: number;
  /** Maximum number of records in a row that are rejected with the same code; 0 for no limit. */
  same: number;
  /** Number of failed calls in a row, not counting rejections, that begins an outage; 0 for none. */
  failed: number;
  /**
   * Seconds that an outage may last before the run halts: meanwhile it sends one call at a time, and the first usable answer ends the
   * outage. 0: the run halts at once.
   */
  outage: number;
}

/** The halt rules of a run without `--halt`. */
export const DEFAULT_HALT: HaltRules = { fail: undefined, min: 1000, same: 50, failed: 20, outage: 60 };

/**
 * Parses rules such as `fail=2%,min=500`. Defaults: `min=1000`, `same=50`, `failed=20`, `outage=60`, no share. Throws a
 * `RangeError` that quotes the invalid part.
 *
 * @example
 * runMigration({ ...options, throttle: { halt: parseHalt('fail=2%,min=1000') } });
 */
export function parseHalt(text: string): HaltRules {
  const rules: HaltRules = { ...DEFAULT_HALT };
  const seen = new Set<string>();
  for (const rule of text.split(',')) {
    const [, name, value = ''] = /^\s*(\w+)=(\S+)\s*$/.exec(rule) ?? [];
    if (name === undefined || seen.has(name)) throw wrong(text, rule, name && `${name} is given twice`);
    seen.add(name);
    if (name === 'fail') rules.fail = shareOf(value, text, rule);
    else if (name === 'min' || name === 'same' || name === 'failed' || name === 'outage')
      rules[name] = countOf(value, text, rule);
    else throw wrong(text, rule);
  }
  return rules;
}

function shareOf(value: string, text: string, rule: string): number {
  const percent = /^(\d{1,3}(\.\d+)?)%$/.exec(value)?.[1];
  const share = Number(percent) / 100;
  if (!(share > 0 && share <= 1)) throw wrong(text, rule, 'fail is a share such as 2% or 0.5%, above 0% up to 100%');
  return share;
}

function countOf(value: string, text: string, rule: string): number {
  if (!/^\d{1,9}$/.test(value)) throw wrong(text, rule, 'expected a whole number');
  return Number(value);
}

function wrong(text: string, rule: string, why?: string): RangeError {
  return new RangeError(
    `halt ${JSON.stringify(text)}, at ${JSON.stringify(rule.trim())}: ${why || 'expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60'}.`,
  );
}
