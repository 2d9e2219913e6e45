/**
 * A set of SHA-256 hashes that stays small: the first 16 bytes of each, in one array of numbers. A million take 32 MiB,
 * as strings in a `Set` 96. That two of a billion hashes agree in 16 bytes is less likely than a
 * fault of the machine.
 */

export interface HashSet {
  /** Takes a hash in hexadecimal, with a note of 32 bits; false where it was in already. */
  add(hash: string, note?: number): boolean;
  has(hash: string): boolean;
  /** The note of a hash, 0 where it has none; undefined for a hash that is not in. */
  noteOf(hash: string): number | undefined;
  /** Nothing for a hash that is not in. */
  setNote(hash: string, note: number): void;
}

/** 32-bit words that are kept of a hash. */
const WORDS = 4;
const SMALLEST = 1024;
/** Beyond this share of places taken, looking for a free one takes long. */
const FULLEST = 0.7;

export function createHashSet(): HashSet {
  let places = SMALLEST;
  let words = new Uint32Array(places * WORDS);
  let size = 0;
  /** One a place; made with the first note. */
  let notes: Uint32Array | undefined;

  /** Where the hash stands, or the free place where it belongs. A place is free while its first word is 0. */
  function placeOf(from: Uint32Array, at: number): number {
    for (let place = ((from[at + 1] ?? 0) & (places - 1)) * WORDS; ; place = (place + WORDS) % words.length) {
      if (words[place] === 0 || isSame(from, at, place)) return place;
    }
  }

  function isSame(from: Uint32Array, at: number, place: number): boolean {
    for (let word = 0; word < WORDS; word++) if (words[place + word] !== from[at + word]) return false;
    return true;
  }

  function put(from: Uint32Array, at: number, place: number): void {
    for (let word = 0; word < WORDS; word++) words[place + word] = from[at + word] ?? 0;
  }

  function grow(): void {
    const [old, oldNotes] = [words, notes];
    places *= 2;
    words = new Uint32Array(places * WORDS);
    notes = oldNotes && new Uint32Array(places);
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at] === 0) continue;
      const place = placeOf(old, at);
      put(old, at, place);
      if (notes !== undefined) notes[place / WORDS] = oldNotes?.[at / WORDS] ?? 0;
    }
  }

  function noteAt(place: number, note: number): void {
    notes ??= new Uint32Array(places);
    notes[place / WORDS] = note;
  }

  return {
    add(hash, note = 0) {
      const wanted = wordsOf(hash);
      const place = placeOf(wanted, 0);
      if (words[place] !== 0) return false;
      put(wanted, 0, place);
      if (note !== 0) noteAt(place, note);
      if (++size > places * FULLEST) grow();
      return true;
    },
    has: (hash) => words[placeOf(wordsOf(hash), 0)] !== 0,
    noteOf(hash) {
      if (size === 0) return undefined;
      const place = placeOf(wordsOf(hash), 0);
      return words[place] === 0 ? undefined : (notes?.[place / WORDS] ?? 0);
    },
    setNote(hash, note) {
      const place = placeOf(wordsOf(hash), 0);
      if (words[place] !== 0) noteAt(place, note);
    },
  };
}

const bytes = Buffer.alloc(4 * WORDS);
const parsed = new Uint32Array(bytes.buffer, bytes.byteOffset, WORDS);

/** Good until the next call. */
function wordsOf(hash: string): Uint32Array {
  bytes.write(hash, 'hex');
  // 0 marks a free place.
  parsed[0] ||= 1;
  return parsed;
}
