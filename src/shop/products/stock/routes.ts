import { hash } from 'node:crypto';
import type { Database } from '../../../db/database.ts';
import { cursorOf, pageOf } from '../../../http/paging.ts';
import { Rendered, type Route, route } from '../../../http/route.ts';
import { PAGING, Strict, Success } from '../../../http/schemas.ts';
import { may } from '../../../http/scopes.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, invalidParam, notFound } from '../../../lib/errors.ts';
import { demandIdempotencyKey, keyReused } from '../../../lib/idempotency-key.ts';
import { isId } from '../../../lib/ids.ts';
import { type Static, Type } from '../../../lib/schema.ts';
import { type MoveOutcome, type MovementRequest, moveStock } from './move.ts';
import { readStock } from './queries.ts';
import { renderLevels, renderMovement } from './render.ts';
import { DEFAULT_LOCATION } from './rules.ts';
import type { MovementKey } from './save.ts';
import { EXAMPLE_MOVED, EXAMPLE_MOVEMENT, EXAMPLE_STOCK, Moved, NewMovements, ProductStockAnswer } from './schemas.ts';

export function stockRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/products/{product_id}/stock',
      scope: 'products:read',
      tag: 'Stock',
      summary: 'Read the stock of a product, with its ledger',
      description:
        'What is on hand, reserved and available, in all and at each location, and every movement that it came by. ' +
        'Of a product whose stock is not tracked, `on_hand` and `available` are its `stock_quantity`.',
      params: Strict({ product_id: Type.String({ minLength: 1, maxLength: 64 }) }),
      query: Strict({
        ...PAGING,
        location: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only the entries of this location.' })),
      }),
      answer: ProductStockAnswer,
      errors: ['NOT_FOUND'],
      examples: { answer: EXAMPLE_STOCK },
      handle: async ({ params, query, principal }) => {
        const page = { ...pageOf(query, (key) => isId('mov', key)), productId: params.product_id, location: query.location };
        const found = await db.query(readStock, page);
        if (!found) throw notFound('product', params.product_id);
        const { product, levels, movements, total, next } = found;
        const isTracked = product.track_stock === 1;
        const untracked = { on_hand: product.stock_quantity, reserved: 0, available: product.stock_quantity, locations: [] };
        const levelText = isTracked
          ? renderLevels(params.product_id, levels)
          : JSON.stringify({ product_id: params.product_id, ...untracked });
        const shows = { orders: may(principal, 'orders:read'), products: true };
        const entries = movements.map((movement) => renderMovement(movement, shows)).join(',');
        const nextCursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
        return new Rendered(
          `{"success":true,"data":${levelText.slice(0, -1)},"track_stock":${isTracked},` +
            `"allow_backorder":${product.allow_backorder === 1},"movements":[${entries}]},"total":${total},"next_cursor":${nextCursor}}`,
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/stock/movements',
      scope: 'products:write',
      tag: 'Stock',
      summary: 'Add to the stock of products, or take away',
      description:
        'Takes one movement, or an array of up to 1,000, of which all are made or none: so goods move from one location to another. ' +
        'Only for products with `track_stock`. Units that are reserved cannot be taken away, unless the product has `allow_backorder`: that is OUT_OF_STOCK.',
      headers: {
        'Idempotency-Key':
          'Up to 255 characters. The same key with the same body gets the first answer again, with `Idempotent-Replayed: true`; with another body it is IDEMPOTENCY_KEY_REUSED.',
      },
      body: NewMovements,
      answer: Success(Moved),
      answerHeaders: { 'Idempotent-Replayed': '`true` when this is the answer of an earlier request with the same key.' },
      errors: ['NOT_FOUND', 'CONFLICT', 'OUT_OF_STOCK', 'IDEMPOTENCY_KEY_REUSED'],
      examples: { body: EXAMPLE_MOVEMENT, answer: EXAMPLE_MOVED },
      handle: async ({ body, principal, request, reply }) => {
        const isOne = !Array.isArray(body);
        const requests = (isOne ? [body] : body).map((given, index) => requestOf(given, isOne ? '' : `[${index}].`));
        const key = keyOf(request.headers['idempotency-key'] as string | undefined, principal.id, isOne, requests);
        const outcome = await db.write(moveStock, { requests, key, actor: principal.actor(), now: clock() });
        if (outcome.kind === 'key_reused') throw keyReused('movement');
        if (outcome.kind === 'refused') throw refusalOf(outcome, requests, isOne);
        if (outcome.kind === 'replayed') reply.header('idempotent-replayed', 'true');
        const shows = { orders: true, products: may(principal, 'products:read') };
        const rendered = outcome.movements.map((movement) => renderMovement(movement, shows)).join(',');
        return new Rendered(`{"success":true,"data":${isOne ? rendered : `[${rendered}]`}}`);
      },
    }),
  ];
}

type Given = Exclude<Static<typeof NewMovements>, readonly unknown[]>;

function requestOf({ product_id, location = DEFAULT_LOCATION, delta, reason }: Given, place: string): MovementRequest {
  if (delta === 0) throw invalidParam(`${place}delta`, 'must not be 0');
  return { product_id, location, delta, reason: reason ?? null };
}

function keyOf(key: string | undefined, owner: string, isOne: boolean, requests: readonly MovementRequest[]): MovementKey | undefined {
  if (key === undefined) return undefined;
  demandIdempotencyKey(key);
  return { owner, key, bodyHash: hash('sha256', JSON.stringify([isOne, requests])) };
}

function refusalOf(refused: MoveOutcome & { kind: 'refused' }, requests: readonly MovementRequest[], isOne: boolean): AppError {
  const { product_id, location, delta } = requests[refused.index] as MovementRequest;
  const field = (name: string): string => (isOne ? name : `[${refused.index}].${name}`);
  switch (refused.why) {
    case 'not_found': {
      const { code, message, details } = notFound('product', product_id);
      return new AppError(code, message, { ...details, field: field('product_id') });
    }
    case 'untracked':
      return new AppError('CONFLICT', `The stock of ${product_id} is not tracked. Set track_stock of the product first.`, {
        field: field('product_id'),
        reason: 'its stock is not tracked',
      });
    case 'too_many':
      return invalidParam(field('delta'), 'would make more units than can be counted');
    default: {
      const { available } = refused;
      return new AppError('OUT_OF_STOCK', `Of ${product_id} at ${location}, ${available} can be taken away, not ${-delta}.`, {
        field: field('delta'),
        reason: `${available} are available`,
        lines: [{ index: refused.index, product_id, wanted: -delta, available }],
      });
    }
  }
}
