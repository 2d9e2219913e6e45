/** Where each rule of the acceptance page is tested: in the schemas, in the client, in the sandbox and in the runner. */
import { REGISTER_SETTINGS } from '../support/register-settings.js';
import { meant } from './resolve.js';
import type { Title } from './titles.js';

const PLACES = ['schemas', 'client', 'sandbox', 'runner'] as const;
type Place = (typeof PLACES)[number];

/** Folders below test/. Tests from one end to the other are tests of the client and of the sandbox. */
const FOLDERS: Readonly<Record<Place, readonly string[]>> = {
  schemas: ['schemas', 'validation', 'types'],
  client: ['client', 'http', 'errors', 'end-to-end'],
  sandbox: ['sandbox', 'end-to-end'],
  runner: ['migration', 'cli'],
};

/** Tests of each setting of the register: their title leaves the id to the case. */
const OF_REGISTER: Readonly<Partial<Record<Place, string>>> = {
  client: 'with %j each call ends as the API specification says',
  runner: 'with %j all of an input is on the service once',
};

const DOCUMENTED = 'takes the documented request and gives the documented answers';

/** Titles of tests that check a rule and do not carry its id. */
const WITHOUT_ID: Readonly<Record<string, Partial<Record<Place, string>>>> = {
  C1: { runner: 'an account passes its steps, each with an intent before its call' },
  C3: { runner: 'rejected.jsonl and skipped.jsonl > each with its errors and the original line' },
  C6: { runner: 'a call > a token is had for an API key' },
  C8: { runner: 'columns that the mapping never reads, and the fields of the records, are listed > by check' },
  E1: { schemas: `E1 supplyPoints.populate > ${DOCUMENTED}` },
  E2: {
    schemas: `E2 businesses.create > ${DOCUMENTED}`,
    runner: 'an input without trouble > a business is created before its accounts, in any order of the input',
  },
  E3: { schemas: `E3 businesses.createPaymentInstruction > ${DOCUMENTED}` },
  E5: { schemas: `E5 accounts.stage > ${DOCUMENTED}` },
  E7: {
    schemas: `E7 notes.create > ${DOCUMENTED}`,
    runner: 'an account passes its steps, each with an intent before its call',
  },
  E8: { runner: 'an account passes its steps, each with an intent before its call' },
  E9: { runner: 'an account passes its steps, each with an intent before its call' },
  E10: {
    schemas: `E10 paymentInstructions.create > ${DOCUMENTED}`,
    runner: 'an account passes its steps, each with an intent before its call',
  },
  E11: {
    schemas: `E11 imports.status > ${DOCUMENTED}`,
    runner: 'data-import-sdk resolve > lists unknown outcomes, with their time and how to resolve them; code 4',
  },
  E12: { runner: 'the list of the service agrees with the ledger of the run' },
  E13: { schemas: `E13 imports.pending > ${DOCUMENTED}` },
  I2: { runner: 'with %j all of an input is on the service once' },
};

/** Why a rule has no test in a place. */
const NOT_THERE: Readonly<Record<Place, Readonly<Record<string, readonly string[]>>>> = {
  schemas: {
    'no payload and no body': ['C6', 'C7', 'U1', 'U2', 'U27', 'U28'],
    'a rule about the state of the service': [
      ...['I1', 'I2', 'I3', 'U4', 'U8', 'U10', 'U11', 'U13', 'U14', 'U15', 'U16', 'U17', 'U18', 'U19', 'U20', 'U21'],
      ...['U23', 'U24', 'U26', 'U29', 'U30', 'U31', 'U32'],
    ],
    'the schema takes any text': ['U12', 'U22', 'U25'],
    'only documented fields are accepted, whatever the service does': ['U6'],
  },
  client: {
    'a rule of the schemas, which the client uses as they are': ['C4', 'C5'],
    'the service resolves the path': ['C7', 'U19'],
    'a rule about the state of the service, which the client does not keep': ['I1', 'I3'],
  },
  sandbox: {
    'a rule of the schemas': ['C4'],
    'a rule for clients': ['C8', 'C9'],
  },
  runner: {
    'a rule of the schemas, which the runner uses as they are': ['C4', 'C5', 'U9'],
    'the service resolves the path': ['C7', 'U19'],
    'the runner sends no such request': ['E13', 'E14'],
    'a rule about the state of the service, which the runner does not keep': ['I1'],
  },
};

/** The tests of a rule in a place, or why there is none. */
interface Cell {
  tests: readonly Title[];
  reason: string | undefined;
}

function cellOf(id: string, place: Place, titles: readonly Title[]): Cell {
  const here = titlesIn(place, titles);
  const hasId = new RegExp(`\\b${id}\\b`);
  const carrying = here.filter(({ full }) => hasId.test(full));
  const named = WITHOUT_ID[id]?.[place];
  const register = REGISTER_SETTINGS.some(([each]) => each === id) ? OF_REGISTER[place] : undefined;
  const others = [named, register].filter((title) => title !== undefined);
  const tests = new Set([...carrying, ...others.flatMap((title) => found(title, here))]);
  const reason = Object.entries(NOT_THERE[place]).find(([, ids]) => ids.includes(id))?.[0];
  return { tests: [...tests], reason };
}

const inPlaces = new WeakMap<readonly Title[], Partial<Record<Place, Title[]>>>();

/** Always the same list, since `meant` keeps what it has found in one. */
function titlesIn(place: Place, titles: readonly Title[]): Title[] {
  const known = inPlaces.get(titles) ?? {};
  inPlaces.set(titles, known);
  known[place] ??= titles.filter(({ file }) => FOLDERS[place].some((folder) => file.startsWith(`test/${folder}/`)));
  return known[place];
}

/** A title of the register stands after the id of the case. */
function found(title: string, here: readonly Title[]): Title[] {
  return meant(title.startsWith('with %j') ? `%s ${title}` : title, here);
}

/** Rules without a test in a place where they apply, and reasons of rules that have tests. */
export function placeFaults(ids: readonly string[], titles: readonly Title[]): string[] {
  return ids.flatMap((id) =>
    PLACES.flatMap((place) => {
      const { tests, reason } = cellOf(id, place, titles);
      if (tests.length === 0 && reason === undefined) {
        return [
          `${id} has no test in ${place}: write one that begins with the id, or say in places.ts why there is none.`,
        ];
      }
      if (tests.length > 0 && reason !== undefined)
        return [`${id} has tests in ${place}: take its reason out of places.ts.`];
      const missing = WITHOUT_ID[id]?.[place];
      if (missing !== undefined && found(missing, titles).length !== 1) {
        return [`${id} in ${place}: no test has the title "${missing}". Correct places.ts.`];
      }
      return [];
    }),
  );
}
