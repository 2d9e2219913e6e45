/** What the model of the service knows: plain Maps, in the order in which things came (U26). */
import {
  type InstructionSent,
  type NoteSent,
  type StagedData,
  type Statement,
  SUPPLIERS,
  type TransactionSent,
} from './model-commands.js';

export interface Model {
  now: number;
  /** In the order of set-up; accounts in the order of their first staging (U26). */
  suppliers: Map<string, Supplier>;
  vendorTries: Map<string, number>;
  batches: Set<string>;
}

export interface Supplier {
  status: string;
  skipped: Set<string>;
  accounts: Map<string, Account>;
  businesses: Business[];
}

interface Account {
  data: StagedData;
  imported: Imported | undefined;
}

export interface Imported {
  number: string;
  createdAt: string;
  status: string;
  notes: Note[];
  transactions: Added[];
  statements: Statement[];
  instructions: InstructionSent[];
}

/** `explains`: the note that the service itself pins for a transaction that it moved; its words are its own. */
type Note = { createdAt: string; isPinned: boolean } & ({ sent: NoteSent } | { explains: true });

export interface Added {
  sent: TransactionSent;
  date: string | undefined;
  isMoved: boolean;
}

interface Business {
  id: number;
  identifier: string;
  name: string;
  contract: string;
  instructions: unknown[];
}

export function newModel(): Model {
  const supplier = (): Supplier => ({ status: 'Ongoing', skipped: new Set(), accounts: new Map(), businesses: [] });
  return {
    now: Date.UTC(2026, 0, 15, 9),
    suppliers: new Map(SUPPLIERS.map((code) => [code, supplier()])),
    vendorTries: new Map(),
    batches: new Set(),
  };
}

/** `body` may contain matchers for undocumented texts; undefined if the body is not documented. */
export interface Expected {
  status: number;
  body?: unknown;
}

export const REFUSED: Expected = { status: 400 };

/** As the document writes datetimes. */
export function now({ now: ms }: Model): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
