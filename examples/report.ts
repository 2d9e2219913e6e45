/** Progress while the demo runs, and what came of it. */
export interface Rejection {
  code: string;
  attr: string;
}

export class Report {
  readonly #startedAt = performance.now();
  readonly #counts = new Map<string, number>();
  /** By account, so that one that fails at two steps is counted once. */
  readonly #rejections = new Map<string, string>();
  #requests = 0;
  #retries = 0;

  countRequest(): void {
    this.#requests++;
  }

  countRetry(): void {
    this.#retries++;
  }

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  reject(account: string, step: string, { code, attr }: Rejection): void {
    if (!this.#rejections.has(account)) this.#rejections.set(account, [step, code, attr].join('\t'));
  }

  /** Runs a step and shows how far it is; one line where the output is no terminal. */
  async step(name: string, total: number, run: (done: () => void) => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    let finished = 0;
    const line = () => {
      const bar = '█'.repeat(Math.round((24 * finished) / Math.max(1, total))).padEnd(24, '░');
      return `  ${name.padEnd(12)}${bar} ${String(finished).padStart(4)} of ${total}`;
    };
    await run(() => {
      finished++;
      if (process.stdout.isTTY) process.stdout.write(`\r${line()}`);
    });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
    process.stdout.write(`${process.stdout.isTTY ? '\r' : ''}${line()}   ${seconds} s\n`);
  }

  print(total: number): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(2);
    const created = this.#counts.get('created') ?? 0;
    console.log(`\n${created} of ${total} accounts created, ${this.#rejections.size} rejected.`);
    const groups = new Map<string, number>();
    for (const key of this.#rejections.values()) groups.set(key, (groups.get(key) ?? 0) + 1);
    console.table(
      [...groups].map(([key, accounts]) => {
        const [step, code, attr] = key.split('\t');
        return { step, code, attr, accounts };
      }),
    );
    const items = ['payment instructions', 'statements', 'transactions', 'notes'];
    console.log(`Added: ${items.map((what) => `${this.#counts.get(what) ?? 0} ${what}`).join(', ')}.`);
    console.log(`${this.#requests} requests, ${this.#retries} of them after a failure, in ${seconds} s.`);
  }
}
