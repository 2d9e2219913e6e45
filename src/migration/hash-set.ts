/**
 * A set of SHA-256 hashes that stays small: the first 16 bytes of each, in one array of numbers. A million take 32 MiB,
 * as strings in a `Set` 96. That two of a billion hashes agree in 16 bytes is less likely than a
 * fault of the machine.
 */

export interface HashSet {
  /** Takes a hash in hexadecimal; false where it was in already. */
  add(hash: string): boolean;
  has(hash: string): boolean;
  /** False where it was marked already; undefined for a hash that is not in. */
  mark(hash: string): boolean | undefined;
  isMarked(hash: string): boolean;
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
  /** One a place; made with the first mark. */
  let marks: Uint8Array | undefined;

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
    const [old, oldMarks] = [words, marks];
    places *= 2;
    words = new Uint32Array(places * WORDS);
    marks = oldMarks && new Uint8Array(places);
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at] === 0) continue;
      const place = placeOf(old, at);
      put(old, at, place);
      if (marks !== undefined) marks[place / WORDS] = oldMarks?.[at / WORDS] ?? 0;
    }
  }

  return {
    add(hash) {
      const wanted = wordsOf(hash);
      const place = placeOf(wanted, 0);
      if (words[place] !== 0) return false;
      put(wanted, 0, place);
      if (++size > places * FULLEST) grow();
      return true;
    },
    has: (hash) => words[placeOf(wordsOf(hash), 0)] !== 0,
    mark(hash) {
      if (size === 0) return undefined;
      const place = placeOf(wordsOf(hash), 0);
      if (words[place] === 0) return undefined;
      marks ??= new Uint8Array(places);
      if (marks[place / WORDS] === 1) return false;
      marks[place / WORDS] = 1;
      return true;
    },
    isMarked: (hash) => marks?.[placeOf(wordsOf(hash), 0) / WORDS] === 1,
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
