import type { Database } from '../../../db/database.ts';
import { Rendered, type Route, route } from '../../../http/route.ts';
import { Strict, Success } from '../../../http/schemas.ts';
import { may } from '../../../http/scopes.ts';
import { Batcher } from '../../../lib/batcher.ts';
import { type Clock, isoTime } from '../../../lib/clock.ts';
import { notFound } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { Type } from '../../../lib/schema.ts';
import { refusalError, versionConflict } from '../deeds/refusals.ts';
import { EXAMPLE_CHANGED_ORDER, EXAMPLE_PATCH } from '../examples.ts';
import { demandShallow } from '../../../lib/metadata.ts';
import { stateOnly } from '../render.ts';
import { MovedOrder } from '../schemas.ts';
import { OrderPatch } from './schemas.ts';
import { changeOrders, type PatchOutcome, type PatchRequest } from './write.ts';

const MAX_BATCH = 64;
const MAX_WAITING = 20_000;

/** `PATCH`: what an order says is changed. */
export function changeRoute({ db, clock }: { db: Database; clock: Clock }): Route {
  const changer = new Batcher<PatchRequest, PatchOutcome>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    ...db.grouping,
    run: (requests) => db.write(changeOrders, requests),
  });
  return route({
    method: 'PATCH',
    path: '/api/v1/orders/{id}',
    scope: 'orders:write',
    tag: 'Orders',
    summary: 'Change an order',
    description:
      'JSON Merge Patch (RFC 7396): what is left out stays, null removes, objects are merged member by member, lists are replaced as a whole. ' +
      'Addresses, `customer`, `payment`, `note`, `tags` and `metadata` can be changed at any time; `items`, `shipping`, `discounts`, `taxes` and `prices_include_tax` until something is shipped, ' +
      'and then the total is computed anew. `changes` tells who has changed what. What changes nothing makes no new version. ' +
      'A key without `orders:read` is answered `id`, `status`, `version` and `updated_at`.',
    params: Strict({ id: Type.String({ description: 'The id of the order.' }) }),
    body: OrderPatch,
    answer: Success(MovedOrder),
    errors: ['NOT_FOUND', 'CONFLICT', 'VERSION_CONFLICT', 'OUT_OF_STOCK'],
    examples: { body: EXAMPLE_PATCH, answer: { success: true, data: EXAMPLE_CHANGED_ORDER } },
    handle: async ({ params, body, principal }) => {
      const { expected_total, expected_version, ...patch } = body;
      const { metadata, items = [] } = patch as { metadata?: unknown; items?: { metadata?: unknown }[] };
      demandShallow(metadata, 'metadata');
      items.forEach((item, index) => demandShallow(item.metadata, `items[${index}].metadata`));
      const request = { order_id: params.id, at: isoTime(clock()), by: principal.id, patch: JSON.stringify(patch) };
      const outcome = isId('ord', params.id)
        ? await changer.submit({ ...request, expected_total, expected_version })
        : ({ kind: 'not_found' } as const);
      const mayRead = may(principal, 'orders:read');
      if (outcome.kind === 'not_found') throw notFound('order', params.id);
      if (outcome.kind === 'version_conflict') throw versionConflict(outcome.version);
      if (outcome.kind === 'refused') throw refusalError(outcome.refusal, mayRead);
      return new Rendered(`{"success":true,"data":${mayRead ? outcome.json : stateOnly(outcome.json)}}`);
    },
  });
}
