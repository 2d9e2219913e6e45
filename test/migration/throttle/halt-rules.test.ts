/** What halts a run: `--halt`. */
import { describe, expect, test } from 'vitest';
import { NO_ITEMS } from '../../../src/migration/ledger/items.js';
import type { LedgerRecord, Outcome, Step } from '../../../src/migration/ledger/ledger.js';
import type { RecordEvent } from '../../../src/migration/record/events/record-event.js';
import { DEFAULT_HALT, HaltMonitor, parseHalt } from '../../../src/migration/throttle/halt-rules.js';

const record = (outcome: Outcome | null, codes: readonly string[] = [], done: Step | null = null): LedgerRecord => ({
  supplier: 'ACME',
  kind: 'account',
  number: 'A-1',
  version: 1,
  hash: '',
  contentHash: '',
  correctedFrom: null,
  done,
  intent: null,
  intentAt: null,
  intentHash: null,
  intentOnce: false,
  stageUnansweredAt: null,
  outcome,
  serviceNumber: null,
  unknown: [],
  errors: codes.map((code) => ({ step: 'stage', code, attr: 'x' })),
  warnings: [],
  difference: null,
  decisions: [],
  items: NO_ITEMS,
  contract: null,
  source: 'input',
  line: 1,
  updatedAt: '',
});
const created = () => [record('created', [], 'notes'), { type: 'ended' }] as const;
const rejected = (...codes: string[]) =>
  [record('rejected', codes, 'check'), { type: 'stepRejected', step: 'stage', errors: [] }] as const;
const failed = (more: { of?: 'token' | 'supplier' | 'team'; code?: string; host?: string } = {}) =>
  [record(null, [], 'check'), { type: 'stepFailed', step: 'stage', ...more }] as const;

const haltReasons = (text: string, events: readonly (readonly [LedgerRecord, RecordEvent])[]) => {
  const monitor = new HaltMonitor(parseHalt(text));
  return events.map(([of, event]) => monitor.onEvent(of, event, 0));
};
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the share of rejected records', () => {
  test('halts at the share, once enough have ended', () => {
    const events = [...times(97, created), ...times(3, () => rejected('a', 'b'))];
    const reasons = haltReasons('fail=2%,min=100,same=0', events);
    expect(reasons.slice(0, 99)).toEqual(times(99, () => undefined));
    expect(reasons[99]).toBe('3 of 100 records were rejected (fail=2%)');
  });

  test('one below the share does not halt', () => {
    const events = [...times(99, created), rejected('a'), created()];
    expect(haltReasons('fail=2%,min=100,same=0', events)).toEqual(times(101, () => undefined));
  });

  test('is not asked where none is given', () => {
    expect(
      haltReasons(
        'same=0',
        times(2000, () => rejected('a')),
      ),
    ).toEqual(times(2000, () => undefined));
  });

  test('a record counts once, with any number of events', () => {
    const lost = record('unknown', [], 'notes');
    const events = [
      [record('rejected', ['a']), { type: 'stepSucceeded', step: 'check' }],
      rejected('a'),
      [lost, { type: 'outcomeUnknown', step: 'statements' }],
      [lost, { type: 'ended' }],
      [record('created', ['a'], 'notes'), { type: 'stepRejected', step: 'notes', errors: [] }],
      created(),
      [record('unknown', [], 'stage'), { type: 'outcomeUnknown', step: 'process' }],
      [record('alreadyImported'), { type: 'alreadyExists', serviceNumber: 'S' }],
    ] as const;
    // Five have ended, and one of them was rejected.
    expect(haltReasons('fail=19%,min=5,same=0', events).map((reason) => reason !== undefined)).toEqual([
      ...times(7, () => false),
      true,
    ]);
    expect(haltReasons('fail=21%,min=5,same=0', events).at(-1)).toBeUndefined();
  });
});

describe('the same code in a row', () => {
  test('halts, also with other codes', () => {
    const events = [rejected('a', 'b'), rejected('b'), rejected('c', 'b', 'b')];
    expect(haltReasons('same=3', events)).toEqual([
      undefined,
      undefined,
      '3 records in a row were rejected for b (same=3)',
    ]);
  });

  const passed = (step: Step) => [record(null, [], step), { type: 'stepSucceeded', step }] as const;
  const refused = (step: 'check' | 'stage' | 'process', code: string) =>
    [
      { ...record('rejected'), errors: [{ step, code, attr: 'x' }] },
      { type: 'stepRejected', step, errors: [] },
    ] as const;
  /** The events of a record that the service refuses to stage, with those before. */
  const refusedByService = (code: string) => [passed('check'), refused('stage', code)];
  const refusedLocally = (code: string) => [refused('check', code)];
  const imported = () => [passed('check'), passed('stage'), passed('process'), created()];

  test('a record that is created, or rejected for another reason, resets the count', () => {
    const a = refusedByService('a');
    const events = [a, a, imported(), a, a, refusedByService('b'), a].flat();
    expect(haltReasons('same=3', events)).toEqual(events.map(() => undefined));
  });

  test('rejections of the local check in between do not reset the count of the service’s', () => {
    const a = refusedByService('a');
    const events = [a, refusedLocally('b'), a, refusedLocally('c'), a].flat();
    expect(haltReasons('same=3', events).at(-1)).toBe('3 records in a row were rejected for a (same=3)');
  });

  test('failures of the local check are counted separately, and a record that reached the service resets the count', () => {
    const b = refusedLocally('b');
    const ofService = refusedByService('b');
    expect(haltReasons('same=3', [b, b, b].flat()).at(-1)).toBe('3 records in a row were rejected for b (same=3)');
    for (const records of [
      [b, b, imported(), b, b],
      [b, ofService, b, ofService, b],
    ]) {
      const events = records.flat();
      expect(haltReasons('same=3', events)).toEqual(events.map(() => undefined));
    }
  });

  test('a record resets the count of a step when it passes that step, not when it is created', () => {
    const b = refusedLocally('b');
    const waits = [passed('check')];
    expect(haltReasons('same=3', [b, b, waits, b, b].flat())).toEqual(Array.from({ length: 5 }));
    // Those that passed the check before the row began.
    const fromBefore = [passed('stage'), passed('process'), created()];
    expect(haltReasons('same=3', [b, fromBefore, b, fromBefore, b].flat()).at(-1)).toBe(
      '3 records in a row were rejected for b (same=3)',
    );
  });

  test('staging and processing are counted separately too', () => {
    const [stage, process] = [refusedByService('a'), [refused('process', 'a')]];
    const staged = [passed('check'), passed('stage')];
    expect(haltReasons('same=3', [stage, stage, staged, stage, stage].flat())).toEqual(Array.from({ length: 10 }));
    expect(haltReasons('same=3', [process, stage, stage, process, staged, process].flat()).at(-1)).toBe(
      '3 records in a row were rejected for a (same=3)',
    );
  });

  test('an account that the service has, and one whose processing is unknown, reset the count of that step', () => {
    const [stage, process] = [refused('stage', 'a'), refused('process', 'a')];
    const exists = [record('alreadyImported'), { type: 'alreadyExists', serviceNumber: 'S' }] as const;
    const unknown = [record('unknown', [], 'stage'), { type: 'outcomeUnknown', step: 'process' }] as const;
    expect(haltReasons('same=3', [stage, stage, exists, stage, stage])).toEqual(Array.from({ length: 5 }));
    expect(haltReasons('same=3', [process, process, unknown, process, process])).toEqual(Array.from({ length: 5 }));
  });

  test('is 50 by default', () => {
    const reasons = haltReasons(
      'min=1',
      times(50, () => rejected('a')),
    );
    expect(reasons.indexOf('50 records in a row were rejected for a (same=50)')).toBe(49);
  });
});

describe('a failure that concerns every record', () => {
  test('a supplier that is refused halts at once', () => {
    expect(haltReasons('same=0', [failed({ of: 'supplier', code: 'import_supplier_not_ongoing' })])).toEqual([
      'the service refuses import supplier ACME (import_supplier_not_ongoing): it is Paused or Complete, or has another code. Ask the operator',
    ]);
  });

  test('a team that there is not halts at once', () => {
    expect(haltReasons('same=0,failed=0', [failed({ of: 'team', code: 'operations_team_not_found' })])).toEqual([
      'the service does not accept the operations team of this run (operations_team_not_found): ask the operator for its name, and continue with --team <name>',
    ]);
  });

  test('a token that is refused halts at once', () => {
    expect(haltReasons('same=0,failed=0', [failed({ of: 'token' })])).toEqual([
      'no valid token: check the token, or the API key that it is fetched with',
    ]);
  });

  test('a connection that fails names its host and the cause', () => {
    const refused = failed({ code: 'ECONNREFUSED', host: 'api.example.com' });
    expect(haltReasons('failed=2,outage=0', [refused, refused]).at(-1)).toBe(
      '2 calls in a row failed, the last at stage: connection to api.example.com failed: ECONNREFUSED, nothing listens on this port: look at the service and the network (failed=2,outage=0)',
    );
  });

  test('the given number of failures in a row halts; an answer resets the count', () => {
    const done = [record(null, [], 'stage'), { type: 'stepSucceeded', step: 'stage' }] as const;
    const local = [record(null, [], 'check'), { type: 'stepSucceeded', step: 'check' }] as const;
    const events = [failed(), failed(), done, failed(), local, failed(), failed({ code: 'gateway' })];
    expect(haltReasons('failed=3,outage=0', events)).toEqual([
      ...times(6, () => undefined),
      '3 calls in a row failed, the last at stage (gateway): look at the service and the network (failed=3,outage=0)',
    ]);
  });

  test('is 20 by default, and unlimited with 0', () => {
    expect(haltReasons('outage=0', times(20, failed)).findIndex((reason) => reason !== undefined)).toBe(19);
    expect(haltReasons('failed=0', times(100, failed))).toEqual(times(100, () => undefined));
  });
});

test('calls that the process itself held back or aborted do not count', () => {
  const events: [LedgerRecord, RecordEvent][] = [
    [record(null), { type: 'stepFailed', step: 'stage', isHeldBack: true }],
    [record(null), { type: 'reconcileFailed', step: 'process', code: 'aborted' }],
  ];
  expect(haltReasons('failed=1,outage=0', events)).toEqual([undefined, undefined]);
});

describe('an outage', () => {
  const done = [record(null, [], 'stage'), { type: 'stepSucceeded', step: 'stage' }] as const;
  const processFailed = [record(null, [], 'stage'), { type: 'stepFailed', step: 'process', code: 'gateway' }] as const;
  const monitorAfter = (text: string, events: readonly (readonly [LedgerRecord, RecordEvent, number])[]) => {
    const monitor = new HaltMonitor(parseHalt(text));
    const reasons = events.map(([of, event, seconds]) => monitor.onEvent(of, event, seconds * 1000));
    return { reasons, outage: monitor.outage };
  };

  test('begins with 20 failed calls in a row: nothing halts, and the next call waits a second', () => {
    const { reasons, outage } = monitorAfter(
      'min=1000',
      times(20, () => [...failed(), 100]),
    );
    expect(reasons).toEqual(times(20, () => undefined));
    expect(outage).toEqual({ since: 100_000, heldUntil: 101_000, waits: 1 });
  });

  test('each further failure doubles the wait, to 15 s at most; those of calls that were in flight do not', () => {
    const begun = times(22, () => [...failed(), 100] as const);
    const later = [101, 103, 107, 115].map((seconds) => [...failed(), seconds] as const);
    const waits = (count: number) => monitorAfter('min=1000', [...begun, ...later.slice(0, count)]).outage?.heldUntil;
    expect([0, 1, 2, 3, 4].map(waits)).toEqual([101_000, 103_000, 107_000, 115_000, 130_000]);
  });

  test('of 8 s sends its last call after 8 s, not after 15 s, and halts if that fails', () => {
    const begun = times(20, () => [...failed(), 100] as const);
    const later = [101, 103, 107, 108].map((seconds) => [...failed(), seconds] as const);
    const monitored = (count: number) => monitorAfter('outage=8', [...begun, ...later.slice(0, count)]);
    expect([0, 1, 2, 3].map((count) => monitored(count).outage?.heldUntil)).toEqual([
      101_000, 103_000, 107_000, 108_000,
    ]);
    expect(monitored(4).reasons.at(-1)).toContain('24 calls in a row failed and none succeeded for 8 s');
  });

  test('ends with the first usable answer, and the count begins again', () => {
    const { reasons, outage } = monitorAfter('min=1000', [
      ...times(20, () => [...failed(), 100] as const),
      [...done, 101],
      ...times(19, () => [...failed(), 900] as const),
    ]);
    expect(reasons.filter(Boolean)).toEqual([]);
    expect(outage).toBeNull();
  });

  test('of all calls ends with the first usable answer, also of another call than those that failed', () => {
    const { outage } = monitorAfter('min=1000', [...times(20, () => [...processFailed, 100] as const), [...done, 101]]);
    expect(outage).toBeNull();
  });

  test('of status queries, while other calls succeed, ends with the first answer about a process call', () => {
    const queryFailed = [
      record(null, [], 'process'),
      { type: 'reconcileFailed', step: 'process', status: 503 },
    ] as const;
    const processed = [record(null, [], 'process'), { type: 'stepSucceeded', step: 'process' }] as const;
    const begun = times(20, () => [[...queryFailed, 100] as const, [...done, 100] as const]).flat();
    expect(monitorAfter('min=1000', begun).outage).toMatchObject({ since: 100_000 });
    expect(monitorAfter('min=1000', [...begun, [...processed, 101]]).outage).toBeNull();
  });

  test('halts the run with the first failure after 60 s', () => {
    const begun = times(20, () => [...failed({ code: 'gateway' }), 100] as const);
    const { reasons } = monitorAfter('min=1000', [
      ...begun,
      [...failed(), 159.9],
      [...failed({ code: 'gateway' }), 160],
    ]);
    expect(reasons.slice(0, 21)).toEqual(times(21, () => undefined));
    expect(reasons[21]).toBe(
      '22 calls in a row failed and none succeeded for 60 s, the last at stage (gateway): look at the service and the network (failed=20,outage=60)',
    );
  });

  test('of process only continues while staging succeeds, and halts the run too', () => {
    const begun = times(20, () => [[...processFailed, 100] as const, [...done, 100] as const]).flat();
    const { reasons, outage } = monitorAfter('min=1000', [...begun, [...processFailed, 160]]);
    expect(outage).toMatchObject({ since: 100_000 });
    expect(reasons.at(-1)).toBe(
      '21 process calls in a row failed and none succeeded for 60 s, the last: gateway: look at the service and the network (failed=20,outage=60)',
    );
  });
});

describe('the rules as they are written', () => {
  test.each([
    ['fail=2%', { fail: 0.02, min: 1000, same: 50, failed: 20, outage: 60 }],
    ['fail=0.5%,min=200,same=0,failed=5', { fail: 0.005, min: 200, same: 0, failed: 5, outage: 60 }],
    [' min=10 , fail=100% ', { fail: 1, min: 10, same: 50, failed: 20, outage: 60 }],
  ])('%j', (text, rules) => {
    expect(parseHalt(text)).toEqual(rules);
  });

  test('without any', () => {
    expect(DEFAULT_HALT).toEqual({ fail: undefined, min: 1000, same: 50, failed: 20, outage: 60 });
  });

  test.each([
    ['', 'halt "", at "": expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60.'],
    ['fail', 'halt "fail", at "fail": expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60.'],
    ['quota=3', 'halt "quota=3", at "quota=3": expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60.'],
    ['fail=2', 'halt "fail=2", at "fail=2": fail is a share such as 2% or 0.5%, above 0% up to 100%.'],
    ['fail=0%', 'halt "fail=0%", at "fail=0%": fail is a share such as 2% or 0.5%, above 0% up to 100%.'],
    ['fail=101%', 'halt "fail=101%", at "fail=101%": fail is a share such as 2% or 0.5%, above 0% up to 100%.'],
    ['min=-1', 'halt "min=-1", at "min=-1": expected a whole number.'],
    ['same=1.5', 'halt "same=1.5", at "same=1.5": expected a whole number.'],
    ['min=1,min=2', 'halt "min=1,min=2", at "min=2": min is given twice.'],
    ['fail=2%,', 'halt "fail=2%,", at "": expected rules such as fail=2%,min=1000,same=50,failed=20,outage=60.'],
  ])('%j is invalid', (text, message) => {
    expect(() => parseHalt(text)).toThrow(new RangeError(message));
  });
});
