/**
 * `placesIn` finds phrases that outside readers stumble over, in prose, comments, messages and identifiers. A place is
 * one to look at: some phrases are right now and then ("a hand-written parser"). `npm run words` prints the places.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A phrase, and what engineers write in its place. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bmend(s|ed|ing)?\b/gi, 'fix, correct; corrected'],
  [/\bwhoever\b/gi, 'the caller, a reader, callers that …'],
  [/\b(nobody|somebody|anybody)\b/gi, 'name the actor: the caller, no process, another run'],
  [/\b(is|are|was|were|be|been) told\b|\btold of\b|\btells? of\b/gi, 'receives, is notified, reports'],
  [/\bgo(es)? on\b|\bwent on\b|\bgoing on\b/gi, 'continues, resumes'],
  [/\bbroke off\b|\bbreaks? off\b/gi, 'aborts, was interrupted'],
  [/\bcannot be meant\b|\bcan be meant\b/gi, 'is invalid'],
  [/\bmanieth\b/gi, 'every Nth'],
  [
    /\bso many\b|\bas it (came|comes|stands|goes)\b|\bwhat (it|they) (is|are) (worth|about)\b/gi,
    'say the number or the thing',
  ],
  [/\b(bell|bells|doorbell|doorbells|ringer|rings?|ringing)\b/gi, 'job, queue, notification'],
  [/\b(carrier|carriers|teller|leisure)\b/gi, 'worker, reporter, long-running query'],
  [
    /\b(carry|carries|carried|carrying) (it|them|a book|the book|a record|each|records|on|out|through)\b/gi,
    'import, run, execute, process',
  ],
  [/\bheld against\b|\bhold(s)?\b[^.\n]{0,40}\bagainst\b/gi, 'compares … with'],
  [
    /\b(it|that|which|what|who) (stands|lies|rests) (in|on|at|there)\b|\bstands? in (its|the|his) way\b/gi,
    'is in, depends on, prevents',
  ],
  [/\bcome(s)? upon\b|\bcame upon\b|\bbecame of\b|\bbecomes of\b|\bcame of\b/gi, 'finds; result, outcome'],
  [/\bbeside (it|them|that|the)\b/gi, 'next to, in addition to'],
  [/\balone\b/gi, 'only'],
  [/\ba flaw of ours\b/gi, 'a bug in this package'],
  [/\bof (ours|its own|their own)\b/gi, 'its own …'],
  [/\b(at|in) earnest\b|\bin the night\b|\bon the night\b|\bfor ever\b/gi, 'for real; production run; indefinitely'],
  [/\bthe document (shows?|says?|lists?|does|leaves?|names?|gives?|has|calls?)\b/gi, 'the API specification …'],
  [
    /\bwhat (is|was|are|were) (left|open|there|lacking|known|done|refused|sent|told|meant)\b/gi,
    'name it: remaining records, rejected items, …',
  ],
  [/\bas (good|well|far|long|fast) as (it|they) (goes|go|can|is|may)\b/gi, 'state the bound'],
  [/\bunder way\b/gi, 'in flight, running, in progress'],
  [/\b(knows|know|known) (nothing|of|better)\b/gi, 'has no record of'],
  [/\bhas (it|them) (already|now)\b/gi, 'already stores'],
  [/\bnothing of (it|them|this|that|a|the)\b/gi, 'none of …'],
  [/\bit is (said|told|asked|meant|left)\b/gi, 'active voice'],
  [/\bmay (be had|have had)\b|\bto be had\b|\bcan be had\b|\bcannot be had\b/gi, 'available, obtained'],
];

export interface Place {
  file: string;
  line: number;
  phrase: string;
  instead: string;
}

/** Returns the places in these files and folders, and the number of words read. Skips paths that end with one of `without`. */
export function placesIn(
  paths: readonly string[],
  without: readonly string[] = [],
): { places: Place[]; words: number } {
  const places: Place[] = [];
  let words = 0;
  for (const file of paths.filter((path) => existsSync(path)).flatMap((path) => [...filesOf(path, without)])) {
    const text = readFileSync(file, 'utf8');
    words += text.match(/[A-Za-z]{2,}/g)?.length ?? 0;
    for (const [pattern, instead] of PHRASES) {
      for (const { 0: phrase, index } of text.matchAll(pattern)) {
        places.push({ file, line: text.slice(0, index).split('\n').length, phrase, instead });
      }
    }
  }
  return { places, words };
}

function* filesOf(path: string, without: readonly string[]): Generator<string> {
  if (without.some((skipped) => path.endsWith(skipped))) return;
  if (statSync(path).isFile()) {
    if (/(\.(md|ts|mts|mjs|js|json|html|css|sql|ya?ml)|\/Dockerfile)$/.test(path)) yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) {
    if (!/^(node_modules|dist|coverage|\.git|pictures)$/.test(name)) yield* filesOf(join(path, name), without);
  }
}
