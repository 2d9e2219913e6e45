/** The days that the simulation is asked about: a bad one, the calm one of the same input, and what differs in the end. */
import { problemsOf } from './invariants.js';
import { type Outcome, type Planted, type Scenario, simulate } from './simulation.js';

/** Days in a row that share an input: they differ in faults and crashes, and their calm day is simulated once. */
const DAYS_OF_AN_INPUT = 4;

/** Each way to fail meets one call in fifty; the process dies up to three times; part of the input changes meanwhile. */
export function badDay(seed: number, accounts: number): Scenario {
  const inputSeed = Math.floor(seed / DAYS_OF_AN_INPUT);
  return { seed, inputSeed, accounts, crashes: 3, faultShare: 0.02, changes: 0.05, repeats: 0.02 };
}

let known: { scenario: string; outcome: Promise<Outcome> } | undefined;

/** The same input, without faults and crashes. */
function calmDay(day: Scenario): Promise<Outcome> {
  const calm: Scenario = { ...day, seed: day.inputSeed ?? day.seed, crashes: 0, faultShare: 0 };
  const plain = { ...calm, slow: false, secondTarget: false };
  const scenario = JSON.stringify(plain);
  if (known?.scenario !== scenario) known = { scenario, outcome: simulate(plain) };
  return known.outcome;
}

export async function problemsOfDay(scenario: Scenario, planted?: Planted): Promise<string[]> {
  const calm = await calmDay(scenario);
  return problemsOf(await simulate(scenario, planted), calm);
}

export function problemsOfBadDay(seed: number, accounts: number, more: Partial<Scenario> = {}): Promise<string[]> {
  return problemsOfDay({ ...badDay(seed, accounts), ...more });
}
