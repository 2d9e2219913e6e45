/** A board in memory: as many members as there are hands at it, each of which can be cut off. */
import type { Board, FleetMessage, FleetOrders } from '../../../src/migration/fleet/board.js';

export interface MemoryBoard {
  /** What one member has of it. */
  join(): BoardOfMember;
  orders(): FleetOrders | undefined;
  /** Everything that was said, in its order. */
  readonly said: readonly FleetMessage[];
  /** How often the orders were changed. */
  changes(): number;
}

export interface BoardOfMember extends Board {
  /** Away: hears nothing, says nothing, and its changes wait until it is back. */
  cut(): void;
  back(): void;
}

/** `onTheWay`: what a message and a change wait for before they are known. */
export function memoryBoard(first?: FleetOrders, onTheWay = () => Promise.resolve()): MemoryBoard {
  let orders = first && structuredClone(first);
  let changes = 0;
  const said: FleetMessage[] = [];
  const members = new Set<{ hear(message: FleetMessage): void; read(): void }>();

  return {
    orders: () => orders,
    said,
    changes: () => changes,
    join() {
      const listeners = { messages: new Set<(message: FleetMessage) => void>(), orders: new Set<OrdersListener>() };
      let known = orders;
      let isCut = false;
      const waiting: (() => void)[] = [];
      const member = {
        hear(message: FleetMessage) {
          if (isCut) return;
          for (const listener of listeners.messages) listener(structuredClone(message));
        },
        read() {
          if (isCut || orders === undefined || orders === known) return;
          known = orders;
          for (const listener of listeners.orders) listener(orders);
        },
      };
      members.add(member);
      return {
        async say(message) {
          if (isCut) return;
          said.push(message);
          await onTheWay();
          for (const each of members) each.hear(message);
        },
        hear: (listener) => added(listeners.messages, listener),
        orders: () => known,
        onOrders: (listener) => added(listeners.orders, listener),
        async change(change) {
          if (isCut) await new Promise<void>((resolve) => waiting.push(resolve));
          await onTheWay();
          const next: FleetOrders = JSON.parse(JSON.stringify(change(orders)));
          if (JSON.stringify(next) === JSON.stringify(orders)) return next;
          orders = next;
          changes++;
          for (const each of members) each.read();
          return next;
        },
        isConnected: () => !isCut,
        async close() {
          members.delete(member);
        },
        cut() {
          isCut = true;
        },
        back() {
          isCut = false;
          member.read();
          for (const go of waiting.splice(0)) go();
        },
      };
    },
  };
}

type OrdersListener = (orders: FleetOrders) => void;

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Of a single member, or of several that nothing ever cuts off. */
export function createMemoryBoard(): BoardOfMember {
  return memoryBoard().join();
}
