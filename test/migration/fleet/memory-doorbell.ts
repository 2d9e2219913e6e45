/** A doorbell without an engine, for members of one process. Bells go to whoever has a hand free, in their order. */
import type { Answering, Bell, Doorbell } from '../../../src/migration/fleet/bell.js';

export interface MemoryEngine {
  /** One for each member. */
  open(): Doorbell;
  /** Every bell that waits is lost; those under way are answered. */
  lose(): void;
  /** While it is away, ringing and counting fail and nobody answers. */
  setAway(isAway: boolean): void;
}

interface Answerer {
  answer: (bell: Bell) => Promise<void>;
  atOnce: number;
  underWay: Set<Promise<void>>;
}

export function memoryEngine(): MemoryEngine {
  const waiting = new Map<string, Bell>();
  /** A bell is one of its kind until it is answered. */
  const answered = new Set<string>();
  const answerers = new Set<Answerer>();
  let isAway = false;

  function hand(): void {
    for (const [name, bell] of isAway ? [] : waiting) {
      const free = [...answerers].find(({ underWay, atOnce }) => underWay.size < atOnce);
      if (free === undefined) return;
      waiting.delete(name);
      answered.add(name);
      const answering: Promise<void> = free
        .answer({ ...bell })
        .catch(() => {})
        .then(() => {
          free.underWay.delete(answering);
          answered.delete(name);
          hand();
        });
      free.underWay.add(answering);
    }
  }
  function reach(): void {
    if (isAway) throw new Error('The engine is away.');
  }

  function open(): Doorbell {
    const own = new Set<Answering>();
    return {
      async ring(bells) {
        reach();
        for (const bell of bells) {
          const name = JSON.stringify([bell.supplier, bell.kind, bell.number, bell.version]);
          if (!answered.has(name) && !waiting.has(name)) waiting.set(name, { ...bell });
        }
        hand();
      },
      async waiting() {
        reach();
        return waiting.size;
      },
      answer(answer, atOnce) {
        const answerer: Answerer = { answer, atOnce, underWay: new Set() };
        answerers.add(answerer);
        hand();
        const answering = {
          async close() {
            answerers.delete(answerer);
            while (answerer.underWay.size > 0) await Promise.all(answerer.underWay);
          },
        };
        own.add(answering);
        return answering;
      },
      isReachable: () => !isAway,
      async close() {
        await Promise.all([...own].map((answering) => answering.close()));
      },
    };
  }
  return {
    open,
    lose: () => waiting.clear(),
    setAway(away) {
      isAway = away;
      hand();
    },
  };
}
