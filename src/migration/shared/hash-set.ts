/**
 * A set of SHA-256 hashes that stays small: by default the first 16 bytes of each, in one array of numbers. A million take 32 MiB,
 * as strings in a `Set` 96. That two of a billion hashes agree in 16 bytes is less likely than a
 * fault of the machine.
 */

/** For sets that must be smaller than fast. */
interface HashSetOptions {
  /** 32-bit words that are kept of a hash: two agree in 2 words by chance once in 1.5 million sets of 5 million hashes. */
  words?: 2 | 4;
  /** Hashes that are expected: with room for them the set does not grow, which takes half its memory once more. */
  expected?: number;
  /** Bits of a note. */
  noteBits?: 8 | 32;
}

export interface HashSet {
  /** Takes a hash in hexadecimal, with a note of 32 bits; false where it was in already. */
  add(hash: string, note?: number): boolean;
  has(hash: string): boolean;
  /** The note of a hash, 0 where it has none; undefined for a hash that is not in. */
  noteOf(hash: string): number | undefined;
  /** Nothing for a hash that is not in. */
  setNote(hash: string, note: number): void;
}

const SMALLEST = 1024;
/** Above this share of occupied slots a search for a free slot takes long, so the table grows by this factor. */
const ROOMY = { fullest: 0.7, growth: 2 };
const DENSE = { fullest: 0.85, growth: 1.5 };

export function createHashSet(options: HashSetOptions = {}): HashSet {
  const { words: wordsOfOne = 4, expected = 0, noteBits = 32 } = options;
  const { fullest, growth } = wordsOfOne === 4 ? ROOMY : DENSE;
  const Notes = noteBits === 8 ? Uint8Array : Uint32Array;
  let places = Math.max(SMALLEST, Math.ceil(expected / fullest) + 1);
  let words = new Uint32Array(places * wordsOfOne);
  let size = 0;
  /** One a place; made with the first note. */
  let notes: Uint8Array | Uint32Array | undefined;

  /** Where the hash stands, or the free place where it belongs. A place is free while its first word is 0. */
  function placeOf(from: Uint32Array, at: number): number {
    for (let place = ((from[at + 1] ?? 0) % places) * wordsOfOne; ; place = (place + wordsOfOne) % words.length) {
      if (words[place] === 0 || isSame(from, at, place)) return place;
    }
  }

  function isSame(from: Uint32Array, at: number, place: number): boolean {
    for (let word = 0; word < wordsOfOne; word++) if (words[place + word] !== from[at + word]) return false;
    return true;
  }

  function put(from: Uint32Array, at: number, place: number): void {
    for (let word = 0; word < wordsOfOne; word++) words[place + word] = from[at + word] ?? 0;
  }

  function grow(): void {
    const [old, oldNotes] = [words, notes];
    places = Math.ceil(places * growth);
    words = new Uint32Array(places * wordsOfOne);
    notes = oldNotes && new Notes(places);
    for (let at = 0; at < old.length; at += wordsOfOne) {
      if (old[at] === 0) continue;
      const place = placeOf(old, at);
      put(old, at, place);
      if (notes !== undefined) notes[place / wordsOfOne] = oldNotes?.[at / wordsOfOne] ?? 0;
    }
  }

  function noteAt(place: number, note: number): void {
    notes ??= new Notes(places);
    notes[place / wordsOfOne] = note;
  }

  return {
    add(hash, note = 0) {
      const wanted = wordsOf(hash);
      const place = placeOf(wanted, 0);
      if (words[place] !== 0) return false;
      put(wanted, 0, place);
      if (note !== 0) noteAt(place, note);
      if (++size > places * fullest) grow();
      return true;
    },
    has: (hash) => words[placeOf(wordsOf(hash), 0)] !== 0,
    noteOf(hash) {
      if (size === 0) return undefined;
      const place = placeOf(wordsOf(hash), 0);
      return words[place] === 0 ? undefined : (notes?.[place / wordsOfOne] ?? 0);
    },
    setNote(hash, note) {
      const place = placeOf(wordsOf(hash), 0);
      if (words[place] !== 0) noteAt(place, note);
    },
  };
}

/**
 * A set for millions of hashes with notes of 8 bits, in 11 to 16 bytes each. Beyond the expected number it adds
 * further tables, because growing a table needs its memory twice until the next garbage collection.
 */
export function createDenseHashSet(expected: number): HashSet {
  const tableFor = (count: number) => createHashSet({ words: 2, noteBits: 8, expected: count });
  let last = tableFor(Math.max(SMALLEST, expected));
  const tables = [last];
  let capacity = Math.max(SMALLEST, expected);
  let size = 0;
  const has = (hash: string) => tables.some((table) => table.has(hash));
  return {
    has,
    add(hash, note) {
      if (has(hash)) return false;
      if (++size > capacity) {
        const more = Math.ceil(capacity / 2);
        capacity += more;
        last = tableFor(more);
        tables.push(last);
      }
      return last.add(hash, note);
    },
    noteOf(hash) {
      for (const table of tables) {
        const note = table.noteOf(hash);
        if (note !== undefined) return note;
      }
      return undefined;
    },
    setNote(hash, note) {
      for (const table of tables) table.setNote(hash, note);
    },
  };
}

const bytes = Buffer.alloc(16);
const parsed = new Uint32Array(bytes.buffer, bytes.byteOffset, 4);

/** Good until the next call. */
function wordsOf(hash: string): Uint32Array {
  bytes.write(hash, 'hex');
  // 0 marks a free place.
  parsed[0] ||= 1;
  return parsed;
}
