/** Exports the admin routes for the operator's actions: suppliers and their status, teams, skip marks, documents, switches. */
import * as z from 'zod';
import { filledList } from '../../../schemas/fields.js';
import type { Outcome } from '../calls/call.js';
import { failed, refused } from '../calls/error-answers.js';
import type { Space } from '../spaces.js';
import { attempt, someText } from './admin-input.js';
import { type AdminRoute, ok, route } from './admin-route.js';
import { describeSupplier } from './overview-routes.js';

const supplierStatus = z.enum(['Ongoing', 'Paused', 'Complete']);
const accountKey = { supplier: z.string(), external_account_number: someText };

export const operatorRoutes: readonly AdminRoute[] = [
  /** The import suppliers, each with its status, its root and how many accounts are staged and imported. */
  route({
    method: 'GET',
    path: '/suppliers',
    answer: ({ space }) => ok(space.store().state.suppliers.map(describeSupplier)),
  }),
  /** `{code, status?, root?}`: adds an import supplier. */
  route({
    method: 'POST',
    path: '/suppliers',
    body: z.strictObject({ code: someText, status: supplierStatus.optional(), root: z.string().optional() }),
    answer: ({ space, body: { code, status, root } }) => {
      const supplier = { code, ...(status && { status }), ...(root !== undefined && { root }) };
      return (
        attempt('supplier_refused', 'code', () => space.operator.addSupplier(supplier)) ?? {
          status: 201,
          body: describeByCode(space, code),
        }
      );
    },
  }),
  /** `{status}`: sets the status of an import supplier (spec: Import supplier status). */
  route({
    method: 'PATCH',
    path: '/suppliers/:code',
    body: z.strictObject({ status: supplierStatus }),
    answer: ({ space, params, body: { status } }) => {
      const code = params['code'] ?? '';
      if (space.store().supplier(code) === undefined) {
        const detail = 'No import supplier has this code; GET suppliers lists those that exist.';
        return failed(404, 'supplier_not_found', detail);
      }
      space.operator.setSupplierStatus(code, status);
      return ok(describeByCode(space, code));
    },
  }),
  /** Names of the operations teams. */
  route({ method: 'GET', path: '/teams', answer: ({ space }) => ok(space.store().state.teams) }),
  /** `{name}`: adds an operations team. */
  route({
    method: 'POST',
    path: '/teams',
    body: z.strictObject({ name: someText }),
    answer: ({ space, body: { name } }) =>
      attempt('team_refused', 'name', () => space.operator.addTeam(name)) ?? { status: 201, body: { name } },
  }),
  /** Removes an operations team. */
  route({
    method: 'DELETE',
    path: '/teams/:name',
    answer: ({ space, params }) => {
      const name = params['name'] ?? '';
      if (!space.store().state.teams.includes(name)) {
        const detail = 'No operations team has this name; GET teams lists those that exist.';
        return failed(404, 'team_not_found', detail);
      }
      space.operator.removeTeam(name);
      return ok({});
    },
  }),
  /** `{supplier, external_account_number, marked}`: marks an account to skip, or removes the mark (U23). */
  route({
    method: 'POST',
    path: '/skip',
    body: z.strictObject({ ...accountKey, marked: z.boolean() }),
    answer: ({ space, body: { supplier, external_account_number, marked } }) =>
      unknownSupplier(space, supplier) ??
      attempt('skip_refused', 'external_account_number', () =>
        space.operator.skip(supplier, external_account_number, marked),
      ) ??
      ok({ supplier, external_account_number, marked }),
  }),
  /** `{supplier, paths}`: registers documents at these paths below the supplier's root (U19). */
  route({
    method: 'POST',
    path: '/documents',
    body: z.strictObject({ supplier: z.string(), paths: filledList(someText) }),
    answer: ({ space, body: { supplier, paths } }) =>
      unknownSupplier(space, supplier) ??
      attempt('documents_refused', 'paths', () => space.operator.registerDocuments(supplier, paths)) ?? {
        status: 201,
        body: { registered: space.store().state.documents.length },
      },
  }),
  /** `{supplier, external_account_number, status}`: sets the next status of the industry switch of an imported account (U8). */
  route({
    method: 'POST',
    path: '/transitions',
    body: z.strictObject({ ...accountKey, status: z.enum(['IN_PROGRESS', 'REJECTED', 'COMPLETED']) }),
    answer: ({ space, body: { supplier, external_account_number, status } }) => {
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
  }),
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
