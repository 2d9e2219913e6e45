/** Whether a request has the shape that the document and the settings demand (C3; U6, U7, U9). */
import type { ErrorItem } from '../../schemas/errors.js';
import type { OperationName } from '../../schemas/operations.js';
import { operations } from '../../schemas/operations.js';
import { schemaFindings } from '../validation/findings.js';
import { readFlags } from './query.js';
import type { SandboxSettings } from './settings.js';

export interface Shape {
  /** As it is stored and answered with. */
  payload: Record<string, unknown>;
  query: Readonly<Record<string, boolean | undefined>>;
  /** What is wrong; empty when all is well. */
  errors: readonly ErrorItem[];
  /** Attrs of values that the document does not list. */
  unlisted: readonly string[];
}

export function checkShape(
  name: OperationName,
  payload: Record<string, unknown>,
  url: string,
  _settings: SandboxSettings,
): Shape {
  const operation = operations[name];
  const { flags, errors } = readFlags(operation, url);
  const findings = operation.request === undefined ? [] : schemaFindings(operation.request, payload);
  return { payload, query: flags, errors: [...errors, ...findings], unlisted: [] };
}
