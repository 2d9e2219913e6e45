/**
 * Exports `createHashSet`: a set of SHA-256 hashes that needs little memory. It stores the first 16 bytes of each, in one array of
 * numbers: 32 MiB for a million, compared with 96 as strings in a `Set`. Equal first 16 bytes among a billion hashes are less likely
 * than a hardware fault.
 */

/** Options for sets with even less memory. */
interface HashSetOptions {
  /** Number of 32-bit words stored of a hash. With 2 words, one of 1.5 million sets of 5 million hashes has two equal ones by chance. */
  words?: 2 | 4;
  /** Expected number of hashes: a set of this size does not have to grow, which would temporarily need half its memory again. */
  expected?: number;
  /** Number of bits of a note. */
  noteBits?: 8 | 32;
}

export interface HashSet {
  /** Adds a hash in hexadecimal digits, with a note. Returns false if the set already stores it. */
  add(hash: string, note?: number): boolean;
  has(hash: string): boolean;
  /** Returns the note of a hash, 0 for none; undefined if the set does not have the hash. */
  noteOf(hash: string): number | undefined;
  /** Sets the note of a hash. Does nothing if the set does not have it. */
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
  /** One note per slot; created with the first note. */
  let notes: Uint8Array | Uint32Array | undefined;

  /** Returns the slot of the hash, or the free slot for it. A slot is free if its first word is 0. */
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

/** Returns the words of a hash, in an array that the next call reuses. */
function wordsOf(hash: string): Uint32Array {
  bytes.write(hash, 'hex');
  // 0 marks a free slot.
  parsed[0] ||= 1;
  return parsed;
}
