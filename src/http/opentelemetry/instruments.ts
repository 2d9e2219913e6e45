/** `createInstruments`: the metrics of the client and of a migration. */
import type { Meter } from '@opentelemetry/api';

/** Boundaries that the HTTP conventions of OpenTelemetry recommend, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export function createInstruments(meter: Meter) {
  return {
    duration: meter.createHistogram('http.client.request.duration', {
      description: 'Duration of requests to the data-import service.',
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
    }),
    active: meter.createUpDownCounter('http.client.active_requests', {
      description: 'Requests to the data-import service in flight.',
      unit: '{request}',
    }),
    retries: meter.createCounter('data_import.client.retries', {
      description: 'Requests after the first of a call: after an error, a 429 or a renewed token.',
      unit: '{request}',
    }),
    throttled: meter.createCounter('data_import.client.throttled', {
      description: 'Answers 429.',
      unit: '{request}',
    }),
    records: meter.createCounter('data_import.records', {
      description: 'Records of a migration that ended, by outcome.',
      unit: '{record}',
    }),
  };
}
