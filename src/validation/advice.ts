/** Looking for what `advice-rules.ts` calls suspicious. Advice never blocks, unless the caller asks for it. */
import { ADVICE_RULES, type AdviceRule, type Fields } from './advice-rules.js';
import type { Finding } from './findings.js';
import type { PayloadName } from './payloads.js';
import { type Selected, select } from './select.js';

/** Advice on a payload of any shape; what is no object, or not there, is not looked into. */
export function adviceFindings(name: PayloadName, payload: unknown): Finding[] {
  return ADVICE_RULES.flatMap((rule) =>
    (rule.at[name] ?? [])
      .flatMap((pattern) => suspects(rule, select(payload, pattern)))
      .map((attr) => ({ detail: rule.detail, code: rule.code, attr, severity: 'advice' as const })),
  );
}

/** Where the rule fires. */
function suspects({ fields, value: isSuspicious, distinct }: AdviceRule, places: readonly Selected[]): string[] {
  if (distinct !== undefined) return repeated(distinct, places);
  return places.flatMap(({ attr, value }) => {
    if (isFields(value)) return (fields?.(value) ?? []).map((field) => join(attr, field));
    return isSuspicious?.(value) ? [attr] : [];
  });
}

function repeated(distinct: readonly [string, ...string[]], places: readonly Selected[]): string[] {
  const [first] = distinct;
  const seen = new Set<string>();
  return places.flatMap(({ attr, value }) => {
    if (!isFields(value) || typeof value[first] !== 'string' || value[first] === '') return [];
    const key = distinct.map((field) => (typeof value[field] === 'string' ? value[field] : '')).join('\n');
    if (seen.has(key)) return [join(attr, first)];
    seen.add(key);
    return [];
  });
}

function join(attr: string, field: string): string {
  return [attr, field].filter(Boolean).join('.');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
