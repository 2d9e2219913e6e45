/** What a run left in its folder, and what must hold of it, seen from the service's log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/index.js';

export interface RunOutcome {
  /** What it says of each record that the service has, by number. */
  ok: ReadonlyMap<string, string>;
  /** Numbers, or lines where there is none. */
  rejected: ReadonlySet<string>;
  skipped: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
  /** Lines of all four. */
  count: number;
  summary: { input: number; unfinished: number; unknown: number; created: number; balance: { isBalanced: boolean } };
  state: string;
}

interface Entry {
  number: string | null;
  line: number;
}

export function outcomeOf(folder: string): RunOutcome {
  const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
  const entries = (name: string) =>
    linesOf(name)
      .map((line) => JSON.parse(line) as Entry)
      .map(({ number, line }) => number ?? `line ${line}`);
  const ok = linesOf('ok.csv').slice(1);
  const [rejected, skipped, unknown] = ['rejected.jsonl', 'skipped.jsonl', 'unknown.jsonl'].map(entries);
  const { summary, run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  return {
    ok: new Map(ok.map((row) => [row.split(';')[0] ?? '', row])),
    rejected: new Set(rejected),
    skipped: new Set(skipped),
    unknown: new Set(unknown),
    count: [ok, rejected, skipped, unknown].reduce((sum, list) => sum + (list?.length ?? 0), 0),
    summary,
    state: run.state,
  };
}

/** The sandbox, as far as the checks read it. */
export type Witness = Pick<Sandbox, 'requests' | 'state'>;

/** Everything that is otherwise than in the run of the same input that nothing disturbed. */
export function problemsOfRun(outcome: RunOutcome, calm: RunOutcome, sandbox: Witness, lines: readonly string[]) {
  return [...otherwise(outcome, calm, lines.length), ...doneTwice(sandbox), ...otherThanTheInput(sandbox, lines)];
}

function otherwise(outcome: RunOutcome, calm: RunOutcome, input: number): string[] {
  const { ok, rejected, skipped, unknown, count, summary, state } = outcome;
  const problems: string[] = [];
  if (state !== 'finished') problems.push(`it is ${state}`);
  if (!summary.balance.isBalanced || summary.input !== input || summary.unfinished !== 0)
    problems.push('the balance is wrong');
  if (count !== input) problems.push(`${count} result lines for ${input} input lines`);
  // If the outcome of a business is unknown, its accounts wait.
  const someBusinessIsUnknown = [...unknown].some((number) => !number.startsWith('A'));
  for (const [number, row] of calm.ok) {
    if (unknown.has(number) || (skipped.has(number) && someBusinessIsUnknown)) continue;
    if (ok.get(number) !== row) problems.push(`${number} is ${ok.get(number) ?? 'lost'}, calm ${row}`);
  }
  for (const number of ok.keys()) if (!calm.ok.has(number)) problems.push(`${number} was refused, calm`);
  for (const number of calm.rejected) {
    if (skipped.has(number) && someBusinessIsUnknown) continue;
    if (!rejected.has(number)) problems.push(`${number} is not rejected`);
  }
  for (const number of calm.skipped) if (!skipped.has(number)) problems.push(`${number} is not skipped`);
  return problems;
}

function doneTwice(sandbox: Witness): string[] {
  const problems: string[] = [];
  const creations = new Map<string, number>();
  for (const { change, account } of sandbox.requests()) {
    if (change === 'staged → imported') creations.set(String(account), (creations.get(String(account)) ?? 0) + 1);
  }
  for (const [account, count] of creations) if (count > 1) problems.push(`${account} was created ${count} times`);
  for (const { external_account_number: number, imported } of sandbox.state.suppliers[0]?.accounts ?? []) {
    const lists = [
      imported?.statements.map(({ statement_id }) => statement_id) ?? [],
      imported?.transactions.map(({ sent }) => sent.transaction_id) ?? [],
      imported?.payment_instructions.map(({ reference }) => reference) ?? [],
    ];
    for (const ids of lists) if (new Set(ids).size !== ids.length) problems.push(`${number} has ${ids.join(', ')}`);
  }
  return problems;
}

/** What was processed is the line of the input, as it was staged last, and after the business that it belongs to. */
function otherThanTheInput(sandbox: Witness, lines: readonly string[]): string[] {
  const problems: string[] = [];
  const payloads = new Map<string, string>();
  for (const line of lines) {
    const account = accountIn(line);
    const number = account?.external_account_number;
    // Of several lines of one number the first counts.
    if (number !== undefined && !payloads.has(number)) payloads.set(number, JSON.stringify(account));
  }
  const contracts = new Set<unknown>();
  for (const { operation, change, account, request } of sandbox.requests()) {
    const { business } = (request ?? {}) as { business?: Record<string, unknown> };
    if (operation === 'businesses.create' && change !== null) {
      const declared = (business?.['business_contracts'] ?? []) as { identifier: unknown }[];
      for (const { identifier } of declared) contracts.add(identifier);
    }
    if (operation !== 'accounts.stage' || change === null) continue;
    if (payloads.get(String(account)) !== JSON.stringify(request)) problems.push(`${account} was staged otherwise`);
    const contract = business?.['business_contract_identifier'];
    if (contract !== undefined && !contracts.has(contract)) problems.push(`${account} came before its business`);
  }
  return problems;
}

/** undefined for a business, and for a line that holds no record. */
function accountIn(line: string): { external_account_number?: string } | undefined {
  try {
    return (JSON.parse(line) as { account?: { external_account_number?: string } }).account;
  } catch {
    return undefined;
  }
}
