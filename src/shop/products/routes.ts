import { Readable } from 'node:stream';
import { type Static, Type } from '../../lib/schema.ts';
import type { Database } from '../../db/database.ts';
import { answerBatch, answerLines, BatchAnswer, type BatchWork } from '../../http/batch.ts';
import { cursorOf, pageOf } from '../../http/paging.ts';
import { NdjsonLines, Rendered, type Route, route } from '../../http/route.ts';
import { may } from '../../http/scopes.ts';
import { Decimal, ListOf, Named, OneOf, PAGING, Strict, Success, Time, TimeInput } from '../../http/schemas.ts';
import { Batcher } from '../../lib/batcher.ts';
import { type Clock, firstMillisecond, isoTime, parseTime } from '../../lib/clock.ts';
import { invalidParam, notFound } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { textFault } from '../../lib/json.ts';
import { deleteProduct, type SyncOutcome, syncProducts } from './commands.ts';
import { packPatches } from './packing.ts';
import { answeredExtras } from './members.ts';
import { changeOf, checkedPatch, patchOf, ProductChange, ProductInput, refusalOf } from './patch.ts';
import { findProduct, listProducts } from './queries.ts';
import type { ProductPatch } from './rules.ts';
import { stockRoutes } from './stock/routes.ts';

const PATH = '/api/v1/products';
const BATCH_BODY_LIMIT = 16 * 1024 * 1024;

const productFields = {
  product_id: Type.String({ examples: ['mug-blue'] }),
  name: Type.String({ examples: ['Blue mug'] }),
  price: Decimal({ examples: [19.99] }),
  stock_quantity: Type.Integer(),
  categories: Type.Array(Type.String()),
  version: Type.Integer({ description: 'Goes up by one with every change.' }),
  created_at: Time(),
  updated_at: Time(),
  ...answeredExtras,
};
const Product = Named('Product', productFields);
const SyncedProduct = Named('SyncedProduct', {
  ...productFields,
  result: OneOf(['created', 'updated', 'unchanged']),
  changed: Type.Array(Type.String(), { description: 'The fields that have a new value.' }),
});
/** What a change tells a caller that may not read products. */
const ProductState = Named(
  'ProductState',
  {
    product_id: productFields.product_id,
    version: productFields.version,
    updated_at: productFields.updated_at,
    result: OneOf(['updated', 'unchanged']),
    changed: Type.Array(Type.String()),
  },
  { description: 'For a key without `products:read`.' },
);
const ChangedProduct = Type.Unsafe<Static<typeof SyncedProduct> | Static<typeof ProductState>>({ anyOf: [SyncedProduct, ProductState] });
const ProductId = Strict({ product_id: Type.String({ minLength: 1, maxLength: 64 }) });

const EXAMPLE_INPUT = { product_id: 'mug-blue', name: 'Blue mug', price: 19.99, stock_quantity: 40, categories: ['mugs'] };
const EXAMPLE_PRODUCT = { ...EXAMPLE_INPUT, version: 1, created_at: '2026-11-01T09:30:00.000Z', updated_at: '2026-11-01T09:30:00.000Z' };
const EXAMPLE_SYNCED = { ...EXAMPLE_PRODUCT, result: 'created', changed: ['name', 'price', 'stock_quantity', 'categories'] };
const EXAMPLE_CHANGE = { sku: 'MUG-B', prices: { EUR: 19.99, USD: 21.5 }, track_stock: true, expected_version: 1 };
const EXAMPLE_CHANGED = {
  ...EXAMPLE_PRODUCT,
  version: 2,
  track_stock: true,
  sku: 'MUG-B',
  prices: { EUR: 19.99, USD: 21.5 },
  result: 'updated',
  changed: ['track_stock', 'sku', 'prices'],
};
const EXAMPLE_FAULT = { field: 'price', reason: 'is mandatory for a new product' };
const EXAMPLE_BATCH = [
  { index: 0, success: true, data: EXAMPLE_SYNCED },
  {
    index: 1,
    success: false,
    error: {
      code: 'INVALID_PARAMS',
      message: 'Invalid request: price is mandatory for a new product.',
      details: { ...EXAMPLE_FAULT, errors: [EXAMPLE_FAULT] },
    },
  },
];

export function productRoutes({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): Route[] {
  const write = (patches: ProductPatch[]): Promise<SyncOutcome[]> =>
    db.write(syncProducts, { patches: packPatches(patches), now: isoTime(clock()) });
  const syncer = new Batcher<ProductPatch, SyncOutcome>({ maxItems: 256, maxWaiting: 20_000, ...db.grouping, run: write });

  const synced = async (patch: ProductPatch): Promise<Rendered> => {
    const outcome = await syncer.submit(patch);
    if (typeof outcome !== 'string') throw refusalOf(patch.product_id, outcome);
    return new Rendered(`{"success":true,"data":${outcome}}`);
  };

  const batch: BatchWork<ProductPatch> = {
    what: 'products',
    most: 1000,
    check: (value) => checkedPatch(value, clock()),
    write: async (patches) =>
      (await write(patches)).map((outcome, index) =>
        typeof outcome === 'string' ? outcome : refusalOf(patches[index]?.product_id ?? '', outcome),
      ),
    log,
  };

  return [
    route({
      method: 'GET',
      path: PATH,
      scope: 'products:read',
      tag: 'Products',
      summary: 'List products by their ids',
      query: Strict({
        ...PAGING,
        category: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only products in this category.' })),
        updated_since: Type.Optional(TimeInput('Changed at this time or later.')),
        q: Type.Optional(
          Type.String({ minLength: 1, maxLength: 200, description: 'Only products with this text in their name or id, in any case.' }),
        ),
      }),
      answer: ListOf(Product),
      examples: { answer: { success: true, data: [EXAMPLE_PRODUCT], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const filter = { category: query.category, updated_since: since(query.updated_since), q: query.q };
        const { products, total, next } = await db.query(listProducts, {
          ...pageOf(query, (key) => key !== '' && textFault(key) === undefined),
          filter,
        });
        const nextCursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
        return new Rendered(`{"success":true,"data":[${products.join(',')}],"total":${total},"next_cursor":${nextCursor}}`);
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/sync`,
      scope: 'products:write',
      tag: 'Products',
      summary: 'Create or update one product',
      description:
        'Fields that are left out of an update keep their value. A message that changes nothing writes nothing and makes no event.',
      body: ProductInput,
      answer: Success(SyncedProduct),
      errors: ['CONFLICT'],
      examples: {
        body: EXAMPLE_INPUT,
        answer: { success: true, data: EXAMPLE_SYNCED },
      },
      handle: async ({ body }) => synced(patchOf(body, clock())),
    }),
    route({
      method: 'POST',
      path: `${PATH}/sync/batch`,
      scope: 'products:write',
      tag: 'Products',
      summary: 'Create or update many products',
      description:
        'Takes a JSON array of up to 1,000 products, or, as `application/x-ndjson`, any number of them with one on each line; those are written as they arrive and answered line by line. ' +
        'One bad product does not stop the others: each gets its own answer, in order, with its index.',
      body: Type.Array(Type.Unknown({ description: 'A product as in `POST /products/sync`; each is checked on its own.' }), {
        minItems: 1,
        maxItems: 1000,
      }),
      entry: ProductInput,
      bodyLimit: BATCH_BODY_LIMIT,
      takesLines: true,
      answer: BatchAnswer(SyncedProduct, 'products'),
      examples: {
        body: [EXAMPLE_INPUT, { product_id: 'mug-red', name: 'Red mug' }],
        answer: { success: true, data: EXAMPLE_BATCH, total: 2, failed: 1 },
      },
      handle: async ({ body }) => {
        if (body instanceof Readable) return new NdjsonLines(answerLines(body, batch));
        return new Rendered(await answerBatch(body, batch));
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/{product_id}`,
      scope: 'products:read',
      tag: 'Products',
      summary: 'Read one product',
      params: ProductId,
      answer: Success(Product),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_PRODUCT } },
      handle: async ({ params }) => {
        const json = await findProduct(db.read, params.product_id);
        if (json === undefined) throw notFound('product', params.product_id);
        return new Rendered(`{"success":true,"data":${json}}`);
      },
    }),
    route({
      method: 'PATCH',
      path: `${PATH}/{product_id}`,
      scope: 'products:write',
      tag: 'Products',
      summary: 'Change a product',
      description:
        'As `POST /products/sync`, for a product that is there. What is left out keeps its value. A key without `products:read` is answered `product_id`, `version`, `updated_at`, `result` and `changed`.',
      params: ProductId,
      body: ProductChange,
      answer: Success(ChangedProduct),
      errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'CONFLICT'],
      examples: { body: EXAMPLE_CHANGE, answer: { success: true, data: EXAMPLE_CHANGED } },
      handle: async ({ params, body, principal }) => {
        const { json } = await synced(changeOf(params.product_id, body, clock()));
        return new Rendered(may(principal, 'products:read') ? json : stateOnly(json));
      },
    }),
    ...stockRoutes({ db, clock }),
    route({
      method: 'DELETE',
      path: `${PATH}/{product_id}`,
      scope: 'products:write',
      tag: 'Products',
      summary: 'Delete a product',
      description: 'Orders keep what they say about it.',
      params: ProductId,
      answer: Success(Strict({ product_id: Type.String(), deleted: Type.Literal(true) })),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: { product_id: 'mug-blue', deleted: true } } },
      handle: async ({ params }) => {
        const deleted = await db.write(deleteProduct, { productId: params.product_id, now: isoTime(clock()) });
        if (!deleted) throw notFound('product', params.product_id);
        return { success: true as const, data: { product_id: params.product_id, deleted: true as const } };
      },
    }),
  ];
}

/** Of a product, what the caller that changed it needs to change it again. */
function stateOnly(json: string): string {
  const { product_id, version, updated_at, result, changed } = (JSON.parse(json) as { data: Record<string, unknown> }).data;
  return JSON.stringify({ success: true, data: { product_id, version, updated_at, result, changed } });
}

function since(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) throw invalidParam('updated_since', 'must be a time such as 2026-11-01T00:00:00Z');
  return isoTime(firstMillisecond(time));
}
