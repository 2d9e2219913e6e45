/** Exports the admin routes for the operator's actions: suppliers and their status, teams, skip marks, documents, switches. */
import * as z from 'zod';
import { filledList } from '../../../schemas/fields.js';
import type { Outcome } from '../calls/call.js';
import { refused } from '../calls/error-answers.js';
import type { SandboxSupplier } from '../settings/sandbox-options.js';
import type { Space } from '../spaces.js';
import { attempt, someText } from './admin-input.js';
import { type AdminRoute, created, notListed, ok, route } from './admin-route.js';
import { describeSupplier } from './overview-routes.js';

const supplierStatus = z.enum(['Ongoing', 'Paused', 'Complete']);
const accountKey = { supplier: z.string(), external_account_number: someText };

export const operatorRoutes: readonly AdminRoute[] = [
  /** The import suppliers, each with its status, its root and how many accounts are staged and imported. */
  route('GET', '/suppliers', {}, ({ space }) => ok(space.store().state.suppliers.map(describeSupplier))),
  /** `{code, status?, root?}`: adds an import supplier. */
  route(
    'POST',
    '/suppliers',
    { body: z.strictObject({ code: someText, status: supplierStatus.optional(), root: z.string().optional() }) },
    ({ space, body }) =>
      attempt('supplier_refused', 'code', () => space.operator.addSupplier(body as SandboxSupplier)) ??
      created(describeByCode(space, body.code)),
  ),
  /** `{status}`: sets the status of an import supplier (spec: Import supplier status). */
  route(
    'PATCH',
    '/suppliers/:code',
    { body: z.strictObject({ status: supplierStatus }) },
    ({ space, params, body: { status } }) => {
      const code = params['code'] ?? '';
      if (space.store().supplier(code) === undefined)
        return notListed('supplier_not_found', 'No import supplier has this code', 'suppliers');
      space.operator.setSupplierStatus(code, status);
      return ok(describeByCode(space, code));
    },
  ),
  /** Names of the operations teams. */
  route('GET', '/teams', {}, ({ space }) => ok(space.store().state.teams)),
  /** `{name}`: adds an operations team. */
  route(
    'POST',
    '/teams',
    { body: z.strictObject({ name: someText }) },
    ({ space, body: { name } }) =>
      attempt('team_refused', 'name', () => space.operator.addTeam(name)) ?? created({ name }),
  ),
  /** Removes an operations team. */
  route('DELETE', '/teams/:name', {}, ({ space, params }) => {
    const name = params['name'] ?? '';
    if (!space.store().state.teams.includes(name))
      return notListed('team_not_found', 'No operations team has this name', 'teams');
    space.operator.removeTeam(name);
    return ok({});
  }),
  /** `{supplier, external_account_number, marked}`: marks an account to skip, or removes the mark (U23). */
  route(
    'POST',
    '/skip',
    { body: z.strictObject({ ...accountKey, marked: z.boolean() }) },
    ({ space, body: { supplier, external_account_number, marked } }) =>
      unknownSupplier(space, supplier) ??
      attempt('skip_refused', 'external_account_number', () =>
        space.operator.skip(supplier, external_account_number, marked),
      ) ??
      ok({ supplier, external_account_number, marked }),
  ),
  /** `{supplier, paths}`: registers documents at these paths below the supplier's root (U19). */
  route(
    'POST',
    '/documents',
    { body: z.strictObject({ supplier: z.string(), paths: filledList(someText) }) },
    ({ space, body: { supplier, paths } }) =>
      unknownSupplier(space, supplier) ??
      attempt('documents_refused', 'paths', () => space.operator.registerDocuments(supplier, paths)) ??
      created({ registered: space.store().state.documents.length }),
  ),
  /** `{supplier, external_account_number, status}`: sets the next status of the industry switch of an imported account (U8). */
  route(
    'POST',
    '/transitions',
    { body: z.strictObject({ ...accountKey, status: z.enum(['IN_PROGRESS', 'REJECTED', 'COMPLETED']) }) },
    ({ space, body: { supplier, external_account_number, status } }) => {
      const isImported = Boolean(space.store().account(supplier, external_account_number)?.imported);
      const attr = isImported ? 'status' : 'external_account_number';
      return (
        unknownSupplier(space, supplier) ??
        attempt('transition_refused', attr, () =>
          space.operator.transition(supplier, external_account_number, status),
        ) ??
        ok({ supplier, external_account_number, status })
      );
    },
  ),
];

function unknownSupplier(space: Space, code: string): Outcome | undefined {
  if (space.store().supplier(code) !== undefined) return undefined;
  const known = space.store().state.suppliers.map((supplier) => supplier.code);
  const detail = `No import supplier has this code. This sandbox knows: ${known.join(', ') || 'none'}.`;
  return refused('supplier_not_found', 'supplier', detail);
}

function describeByCode(space: Space, code: string) {
  const supplier = space.store().supplier(code);
  return supplier && describeSupplier(supplier);
}
