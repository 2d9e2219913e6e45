/** What must hold after a run, seen from the service's side. */
import type { Outcome } from './simulation.js';

/** Everything that is wrong with an outcome; `calm` is the outcome of the same book without faults and deaths. */
export function problemsOf(outcome: Outcome, calm: Outcome): string[] {
  return [...doneTwice(outcome), ...outOfOrder(outcome), ...unbalanced(outcome), ...otherwiseThan(outcome, calm)];
}

function doneTwice({ sandbox }: Outcome): string[] {
  const problems: string[] = [];
  const creations = new Map<string, number>();
  for (const { change, account } of sandbox.requests()) {
    if (change === 'staged → imported' && account !== null) creations.set(account, (creations.get(account) ?? 0) + 1);
  }
  for (const [account, count] of creations) if (count > 1) problems.push(`${account} was created ${count} times`);
  const [supplier] = sandbox.state.suppliers;
  for (const { external_account_number: number, imported } of supplier?.accounts ?? []) {
    if (imported === null) continue;
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
function outOfOrder({ sandbox }: Outcome): string[] {
  const contracts = new Set<unknown>();
  const problems: string[] = [];
  for (const { rule, change, request, account } of sandbox.requests()) {
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

/** Every record of the book is in the ledger or among the lines, once; and it has ended, or waits for its business. */
function unbalanced({ ends, lines, input }: Outcome): string[] {
  const problems: string[] = [];
  if (ends.size + lines.length !== input) problems.push(`${ends.size} records and ${lines.length} lines of ${input}`);
  for (const { number, end, intent, contract } of ends.values()) {
    if (end === null && contract === null) problems.push(`${number} has not ended (${intent ?? 'nothing announced'})`);
  }
  return problems;
}

/** Where nobody can tell, the ledger says so; everywhere else it is as on a calm day. */
function otherwiseThan({ ends, sandbox }: Outcome, calm: Outcome): string[] {
  const problems: string[] = [];
  const unknownContracts = new Set(
    [...ends.values()].filter(({ end, kind }) => kind === 'business' && end === 'unknown'),
  );
  for (const [number, expected] of calm.ends) {
    const found = ends.get(number);
    if (found === undefined) {
      problems.push(`${number} is lost`);
      continue;
    }
    if (found.end === 'unknown') continue;
    // Its business is one of which nobody can tell.
    if (found.end === null && found.contract !== null && unknownContracts.size > 0) continue;
    if (found.end !== expected.end) problems.push(`${number} ended ${found.end}, on a calm day ${expected.end}`);
    if (JSON.stringify(found.errors) !== JSON.stringify(expected.errors)) problems.push(`${number} has other errors`);
    if (found.end === 'created' && found.kind === 'account') {
      if (JSON.stringify(contentOf(sandbox, number)) !== JSON.stringify(contentOf(calm.sandbox, number))) {
        problems.push(`${number} is created, and not as on a calm day`);
      }
    }
  }
  return problems;
}

function contentOf(sandbox: Outcome['sandbox'], number: string) {
  const account = sandbox.state.suppliers[0]?.accounts.find(
    (candidate) => candidate.external_account_number === number,
  );
  const { notes, transactions, statements, payment_instructions } = account?.imported ?? {};
  return { data: account?.data, notes, transactions, statements, payment_instructions };
}
