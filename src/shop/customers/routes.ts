import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, type Database, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { cursorOf, pageAnswer, type PageRequest, pageOf } from '../../http/paging.ts';
import { Rendered, type Route, route } from '../../http/route.ts';
import { ListOf, PAGING, Strict, Success } from '../../http/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { Type } from '../../lib/schema.ts';
import { EXAMPLE_ORDER } from '../orders/examples.ts';
import { listOrders } from '../orders/queries.ts';
import { ListedOrder } from '../orders/schemas.ts';
import { type ErasureRow, findErasure, requestErasure } from './erase/rows.ts';
import { findCustomer, listCustomers } from './queries.ts';
import { CustomerId, CustomerList, Erasure, EXAMPLE_ERASURE, EXAMPLES, OneCustomer } from './schemas.ts';

const PATH = '/api/v1/customers';
const ERASURES = '/api/v1/erasures';
/** A small shop is done by then; who waits longer asks again. */
const LONGEST_WAIT = 10_000;

export function customerRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      scope: 'orders:read',
      tag: 'Customers',
      summary: 'List customers, by their ids',
      description: 'What the orders say about those who ordered. A customer is there from the first order on, and nothing has to be made.',
      query: Strict(PAGING),
      answer: CustomerList,
      examples: { answer: EXAMPLES.list },
      handle: async ({ query, principal }) => {
        const page = pageOf(query, (key) => key !== '');
        const { rows, total } = await db.query(listCustomers, page);
        if (rows.length > 0) principal.tellRead({ action: 'customers.read', objectId: '', rows: Math.min(rows.length, page.limit) });
        return pageAnswer(rows, total, page);
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/{id}`,
      scope: 'orders:read',
      tag: 'Customers',
      summary: 'Read one customer',
      params: CustomerId,
      answer: OneCustomer,
      errors: ['NOT_FOUND'],
      examples: { answer: EXAMPLES.one },
      handle: async ({ params }) => {
        const data = await db.query(findCustomer, params.id);
        if (!data) throw notFound('customer', params.id);
        return { success: true as const, data };
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/{id}/orders`,
      scope: 'orders:read',
      tag: 'Customers',
      summary: 'List the orders of a customer, newest first',
      params: CustomerId,
      query: Strict(PAGING),
      answer: ListOf(ListedOrder),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [exampleOrder()], total: 1, next_cursor: null } },
      handle: async ({ params, query }) => {
        const page = pageOf(query, (key) => isId('ord', key));
        const { orders, total, next } = await db.query(listOrders, { ...page, filter: { customer_id: params.id }, expand: 'none' });
        if (total === 0) throw notFound('customer', params.id);
        const nextCursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
        return new Rendered(`{"success":true,"data":[${orders}],"total":${total},"next_cursor":${nextCursor}}`);
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/{id}/erase`,
      scope: 'admin',
      tag: 'Customers',
      summary: 'Erase a person',
      description:
        'Takes the person out of all their orders, of the feed, of logs, quarantined rows, calls of hooks, what endpoints have answered, and out of the index: `customer`, addresses, `note`, `metadata` (also of lines), ' +
        'the reference of the payment and the reasons in the history. What was ordered and what was paid stays, under a name that says nothing. ' +
        'It cannot be undone. It is answered when it is done, or after ten seconds with `running`; ask `GET /erasures/{id}` then. Backups that were made before still have the person.',
      params: CustomerId,
      answer: Success(Erasure),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_ERASURE } },
      handle: async ({ params, principal }) => {
        const row = await db.write(requestErasure, { now: clock(), actor: principal.actor(), customers: [params.id], before: null });
        if (!row) throw notFound('customer', params.id);
        return { success: true as const, data: shown(await settled(db.read, row)) };
      },
    }),
    route({
      method: 'GET',
      path: ERASURES,
      scope: 'admin',
      tag: 'Customers',
      summary: 'List erasures, newest first',
      query: Strict(PAGING),
      answer: ListOf(Erasure),
      examples: { answer: { success: true, data: [EXAMPLE_ERASURE], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('era', key));
        const { rows, total } = await listErasures(db.read, page);
        return pageAnswer(rows.map(shown), total, page);
      },
    }),
    route({
      method: 'GET',
      path: `${ERASURES}/{id}`,
      scope: 'admin',
      tag: 'Customers',
      summary: 'Read one erasure',
      params: Strict({ id: Type.String({ description: 'The id of the erasure.' }) }),
      answer: Success(Erasure),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_ERASURE } },
      handle: async ({ params }) => {
        const row = await findErasure(db.read, params.id);
        if (!row) throw notFound('erasure', params.id);
        return { success: true as const, data: shown(row) };
      },
    }),
  ];
}

async function settled(db: Connection, row: ErasureRow): Promise<ErasureRow> {
  let found = row;
  for (const end = performance.now() + LONGEST_WAIT; found.finished_at === null && performance.now() < end; await pause(100))
    found = (await findErasure(db, row.id)) ?? found;
  return found;
}

async function listErasures(db: Connection, { limit, offset, after }: PageRequest): Promise<{ rows: ErasureRow[]; total: number }> {
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from erasures`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const rows = await db.all<ErasureRow>(sql`select * from erasures where ${position} order by id desc limit ${limit + 1} offset ${offset}`);
  return { rows, total: counted?.total ?? 0 };
}

function shown({ id, customer_id, orders, requested_by, created_at, finished_at }: ErasureRow) {
  const status = finished_at === null ? ('running' as const) : ('done' as const);
  return { id, status, customer_id, orders, requested_by, created_at, finished_at };
}

function exampleOrder() {
  const { id, status, total, created_at } = EXAMPLE_ORDER;
  return { id, status, total, created_at };
}
