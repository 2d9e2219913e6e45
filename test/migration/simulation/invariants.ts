/** What must hold after a run, seen from the service's side. */
import type { LedgerRecord } from '../../../src/migration/ledger/ledger.js';
import { hasNoteWithoutBody } from './simulated-input.js';
import { type Outcome, RECORDS_AT_ONCE } from './simulation.js';

/** Everything that is wrong with an outcome; `calm` is the outcome of the same input without faults and crashes. */
export function problemsOf(outcome: Outcome, calm: Outcome): string[] {
  return [
    ...(outcome.failure === undefined ? [] : [`the runner failed: ${outcome.failure}`]),
    ...doneTwice(outcome),
    ...outOfOrder(outcome),
    ...otherThanStaged(outcome),
    ...unbalanced(outcome),
    ...needlesslyUnknown(outcome),
    ...otherwiseThan(outcome, calm),
    ...(outcome.misdirected === 0 ? [] : [`${outcome.misdirected} requests came from a run of another service`]),
    ...(outcome.second === undefined ? [] : problemsOf(outcome.second, calm).map((problem) => `second: ${problem}`)),
  ];
}

function doneTwice({ log, state }: Outcome): string[] {
  const problems: string[] = [];
  const creations = new Map<string, number>();
  for (const { change, account } of log) {
    if (change === 'staged → imported' && account !== null) creations.set(account, (creations.get(account) ?? 0) + 1);
  }
  for (const [account, count] of creations) if (count > 1) problems.push(`${account} was created ${count} times`);
  const [supplier] = state.suppliers;
  for (const { external_account_number: number, imported, duplicates } of supplier?.accounts ?? []) {
    if (imported === null) continue;
    // Two requests that overlap may both create it: each has its own service account number.
    if (duplicates !== undefined) problems.push(`${number} was created ${duplicates.length + 1} times`);
    const lists = {
      'payment instruction': imported.payment_instructions.map(({ reference }) => reference),
      statement: imported.statements.map(({ statement_id }) => statement_id),
      transaction: imported.transactions.map(({ sent }) => sent.transaction_id),
      note: imported.notes.map(({ body }) => body),
    };
    for (const [what, ids] of Object.entries(lists)) {
      if (new Set(ids).size !== ids.length) problems.push(`${number} has a ${what} twice`);
    }
  }
  const businesses = supplier?.businesses.map(({ external_business_identifier }) => external_business_identifier) ?? [];
  if (new Set(businesses).size !== businesses.length) problems.push('a business was created twice');
  return problems;
}

/** No account is staged before the business that declares its contract. */
function outOfOrder({ log }: Outcome): string[] {
  const contracts = new Set<unknown>();
  const problems: string[] = [];
  for (const { rule, change, request, account } of log) {
    const payload = request as { business?: Record<string, unknown> } | null;
    if (rule === 'E2' && change !== null) {
      for (const { identifier } of (payload?.business?.['business_contracts'] ?? []) as { identifier: unknown }[]) {
        contracts.add(identifier);
      }
    }
    const contract = payload?.business?.['business_contract_identifier'];
    if (rule === 'E5' && contract !== undefined && contract !== 'C-unknown' && !contracts.has(contract)) {
      problems.push(`${account} was staged before its business`);
    }
  }
  return problems;
}

/** An account was processed as it was staged last, and as its line reads, unless the ledger says that the line differs. */
function otherThanStaged({ log, state, input, ends }: Outcome): string[] {
  const problems: string[] = [];
  const staged = new Map<string | null, string>();
  const processed = new Map<string | null, string | undefined>();
  for (const { change, account, request } of log) {
    if (change === 'staged → imported') processed.set(account, staged.get(account));
    else if (change?.includes('staged')) staged.set(account, JSON.stringify(request));
  }
  const texts = new Map([...input.items, ...input.corrected].map(({ hash, text }) => [hash, text]));
  for (const { external_account_number: number, data, imported } of state.suppliers[0]?.accounts ?? []) {
    if (imported === null) continue;
    const record = ends.get(number);
    const line = JSON.parse(texts.get(record?.hash ?? '') ?? '{}') as { account?: unknown };
    if (JSON.stringify(data) !== processed.get(number)) problems.push(`${number} is not as it was staged last`);
    const isKnown = record?.difference?.is === 'changed';
    if (!isKnown && JSON.stringify(data) !== JSON.stringify(line.account))
      problems.push(`${number} is not as its line says`);
    const { service_account_number: known } = imported;
    if (record?.serviceNumber !== known && record?.outcome !== 'unknown') problems.push(`${number} has not its number`);
  }
  return problems;
}

/** Every line of the input is a record or a finding, once; and every record has ended, or waits for its business. */
function unbalanced({ ends, lines, input }: Outcome): string[] {
  const problems: string[] = [];
  // By number: which of two lines of one number is its record, and which the finding, is all the same.
  const numbers = new Map(input.items.map(({ line, text }) => [line, NUMBER.exec(text)?.[1] ?? '']));
  const left = new Map<string, number>();
  const count = (number: string, change: 1 | -1) => left.set(number, (left.get(number) ?? 0) + change);
  for (const number of numbers.values()) count(number, 1);
  for (const number of ends.keys()) count(number, -1);
  // Of a line that was changed too late the record is in the ledger.
  for (const [line, { as }] of lines) if (as !== 'changed') count(numbers.get(line) ?? '', -1);
  for (const [number, lack] of left)
    if (lack !== 0) problems.push(`${number}: ${lack} lines are in none of the numbers`);
  for (const { number, outcome, intent, contract } of ends.values()) {
    if (outcome === null && contract === null) problems.push(`${number} has not ended (${intent ?? 'no intent'})`);
  }
  return problems;
}

/** Records are unknown only after a fault or a kill, and only at steps that the service cannot be asked about. */
function needlesslyUnknown({ ends, log, crashes, cuts }: Outcome): string[] {
  const unknown = [...ends.values()].filter(({ outcome }) => outcome === 'unknown');
  const isOnceOnly = (step: string, number: string) =>
    ONCE_ONLY.has(step) || (step === 'notes' && hasNoteWithoutBody(number));
  const asked = unknown.filter(({ unknown: steps, number }) => !steps.every((step) => isOnceOnly(step, number)));
  const problems = asked.map(({ number, unknown: steps }) => `${number} is unknown at ${steps}, which can be settled`);
  const met = log.filter(({ rule, faults }) => ONCE_ONLY_RULES.has(rule) && faults.length > 0).length;
  if (unknown.length > met + cuts + crashes.length * RECORDS_AT_ONCE)
    problems.push(`${unknown.length} records are unknown`);
  return problems;
}

const NUMBER = /"external_(?:account_number|business_identifier)":"([^"]+)"/;

const ONCE_ONLY: ReadonlySet<string> = new Set(['create', 'paymentInstruction', 'statements']);
/** Business, payment instruction, historical statement, note. */
const ONCE_ONLY_RULES: ReadonlySet<string> = new Set(['E2', 'E9', 'E10', 'E8', 'E7']);

/** A record ends as in a run without faults, or its outcome is unknown. */
function otherwiseThan({ ends, state, input }: Outcome, calm: Outcome): string[] {
  const problems: string[] = [];
  const isUnknown = ({ outcome, kind }: LedgerRecord) => kind === 'business' && outcome === 'unknown';
  const someBusinessIsUnknown = [...ends.values()].some(isUnknown);
  for (const [number, expected] of calm.ends) {
    const found = ends.get(number);
    if (found === undefined) {
      problems.push(`${number} is lost`);
      continue;
    }
    if (found.outcome === 'unknown') continue;
    // The outcome of its business is unknown.
    if (found.outcome === null && found.contract !== null && someBusinessIsUnknown) continue;
    if (found.outcome !== expected.outcome)
      problems.push(`${number} ended ${found.outcome}, on a calm day ${expected.outcome}`);
    if (JSON.stringify(found.errors) !== JSON.stringify(expected.errors)) problems.push(`${number} has other errors`);
    if (found.outcome !== 'created' || found.kind !== 'account' || input.changed.has(number)) continue;
    if (JSON.stringify(contentOf(state, number)) !== JSON.stringify(contentOf(calm.state, number))) {
      problems.push(`${number} is created, and not as on a calm day`);
    }
  }
  return problems;
}

function contentOf(state: Outcome['state'], number: string) {
  const account = state.suppliers[0]?.accounts.find((candidate) => candidate.external_account_number === number);
  const { notes, transactions, statements, payment_instructions } = account?.imported ?? {};
  return { data: account?.data, notes, transactions, statements, payment_instructions };
}
