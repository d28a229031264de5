import { bulk } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { decimalText, type Units, unitsOfText } from '../../../lib/money.ts';
import type { EventType } from '../../../events/event-types.ts';
import { type Folded, loadOrders, move, saveOrders, tell, touch } from '../folded.ts';
import { toldPaymentStatus } from '../render.ts';
import { reserves, type StockDeed, unitsOfPieces } from '../stock.ts';
import { chosenLines, type LineChoice } from './lines.ts';
import {
  type DeedLine,
  type Fulfillment,
  type OrderReturn,
  type Refund,
  type Since,
  sinceOf,
  sinceText,
  type Tracking,
} from './records.ts';
import { type OrderRefusal, OrderRefused } from './refusals.ts';
import {
  followingMoves,
  fulfillmentStatus,
  leftOfMoney,
  leftToRefund,
  leftToReturn,
  leftToShip,
  paymentStatus,
  type Tally,
  tallyOf,
  tellsFulfillment,
} from './tally.ts';
import { worthOfLines, worthOfPieces } from './worth.ts';

interface Asked {
  order_id: string;
  /** The id that it gets. */
  id: string;
  at: string;
  expected_version?: number | undefined;
  idempotency: { owner: string; key: string; bodyHash: string; expiresAt: string } | null;
  /** Without any, all that is left. */
  lines?: LineChoice[] | undefined;
  /** Where the goods leave or come in: an id of the caller's. */
  location?: string | undefined;
  reason?: string | undefined;
}

interface FulfillmentRequest extends Asked {
  kind: 'fulfillments';
  tracking?: Tracking | undefined;
}

interface ReturnRequest extends Asked {
  kind: 'returns';
  restock: boolean;
}

interface RefundRequest extends Asked {
  kind: 'refunds';
  restock: boolean;
  /** Decimal text. */
  amount?: string | undefined;
  /** What it is called where it was made. */
  external_id?: string | undefined;
}

export type DeedRequest = FulfillmentRequest | ReturnRequest | RefundRequest;

export type DeedOutcome =
  | { kind: 'done' | 'replayed'; json: string }
  | { kind: 'key_reused' }
  | { kind: 'not_found' }
  | { kind: 'version_conflict'; version: number }
  | { kind: 'refused'; refusal: OrderRefusal };

/** The most fulfilments, returns or refunds of one order: each is in every event that tells of the order later. */
const MOST_DEEDS = 200;

const EVENT = { fulfillments: 'order.fulfilled', returns: 'order.returned', refunds: 'order.refunded' } as const satisfies Record<
  DeedRequest['kind'],
  EventType
>;

/** Does what was asked for together; several requests for one order take their turn within the batch. */
export const recordDeeds = command(
  import.meta.url,
  'recordDeeds',
  async (tx, { requests, now }: { requests: DeedRequest[]; now: string }): Promise<DeedOutcome[]> => {
    const orders = await loadOrders(
      tx,
      requests.map(({ order_id }) => order_id),
    );
    // Behind the locks: the key of a deed belongs to its order, so nobody else can be about to claim it.
    const claims = await findAnswers(tx, requests, now);
    const made: Claim[] = [];
    const outcomes: DeedOutcome[] = [];
    for (const request of requests) {
      const outcome = await recordDeed(tx, request, orders.get(request.order_id), claims);
      outcomes.push(outcome);
      if (outcome.kind === 'done' && request.idempotency) made.push(claimed(claims, request, outcome.json));
    }
    await Promise.all([claimKeys(tx, made), saveOrders(tx, orders.values(), { payment_status: 'text', since: 'json' })]);
    return outcomes;
  },
);

async function recordDeed(
  tx: Connection,
  request: DeedRequest,
  folded: Folded | undefined,
  claims: ReadonlyMap<string, Claim>,
): Promise<DeedOutcome> {
  if (!folded) return { kind: 'not_found' };
  const earlier = request.idempotency && claims.get(nameOf(request.idempotency));
  if (earlier) {
    return earlier.body_hash === request.idempotency?.bodyHash ? { kind: 'replayed', json: earlier.answer } : { kind: 'key_reused' };
  }
  const { version } = folded.order;
  if (request.expected_version !== undefined && request.expected_version !== version) return { kind: 'version_conflict', version };
  try {
    return { kind: 'done', json: await record(tx, folded, request) };
  } catch (error) {
    if (error instanceof OrderRefused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

/** Writes one deed, and moves the order to where it belongs after it. Throws `OrderRefused` before anything has changed. */
export async function record(tx: Connection, folded: Folded, request: DeedRequest): Promise<string> {
  const { order } = folded;
  const since = sinceOf(order);
  const tally = tallyOf(order, since);
  if ((since[request.kind]?.length ?? 0) >= MOST_DEEDS) {
    throw new OrderRefused('CONFLICT', `The order has ${MOST_DEEDS} ${request.kind} already, and cannot have more.`, [
      { field: '', reason: `an order has at most ${MOST_DEEDS} ${request.kind}` },
    ]);
  }
  const deed =
    request.kind === 'fulfillments'
      ? await fulfil(tx, folded, request, since, tally)
      : request.kind === 'returns'
        ? await takeBack(tx, folded, request, since, tally)
        : await giveBack(tx, folded, request, since, tally);
  order.since = sinceText(since);
  const counted = tallyOf(order, since);
  order.payment_status = paymentStatus(unitsOfText(order.total), counted.refunded, toldPaymentStatus(order.extra));
  if (tellsFulfillment(since)) order.fulfillment_status = fulfillmentStatus(counted, order.status);
  touch(folded, request.at);
  tell(folded, EVENT[request.kind]);
  const reason = `${NOUN[request.kind]} ${request.id}`;
  for (const to of followingMoves(order.status, counted)) move(folded, to, reason, request.at);
  return JSON.stringify({ ...deed, order: stateOf(folded) });
}

const NOUN = { fulfillments: 'fulfillment', returns: 'return', refunds: 'refund' } as const satisfies Record<DeedRequest['kind'], string>;

/** Pieces leave the house. The one place where a fulfilment is written. */
async function fulfil(_tx: Connection, folded: Folded, request: FulfillmentRequest, since: Since, tally: Tally): Promise<Fulfillment> {
  const { status } = folded.order;
  if (status === 'on_hold' || status === 'cancelled' || status === 'returned') throw notShipped(status);
  const lines = chosenLines(request.lines, tally.lines, { left: (line) => leftToShip(line, status), verb: 'ship' });
  // What is being shipped is being processed.
  if (status === 'new') move(folded, 'processing', `fulfillment ${request.id}`, request.at);
  const { id, tracking, location } = request;
  const deed: Fulfillment = {
    id,
    created_at: request.at,
    lines,
    ...(tracking && { tracking }),
    ...(location !== undefined && { location }),
  };
  since.fulfillments = [...(since.fulfillments ?? []), deed];
  if (reserves(folded.order)) folded.stock.push(stockDeed(folded, 'ship', request.at, deed));
  return deed;
}

/** Pieces come back. The one place where a return is written. */
async function takeBack(_tx: Connection, folded: Folded, request: ReturnRequest, since: Since, tally: Tally): Promise<OrderReturn> {
  const lines = chosenLines(request.lines, tally.lines, { left: leftToReturn, verb: 'return' });
  const { id, reason, restock, location } = request;
  const deed: OrderReturn = {
    id,
    created_at: request.at,
    lines,
    ...(reason !== undefined && { reason }),
    restock,
    ...(location !== undefined && { location }),
  };
  since.returns = [...(since.returns ?? []), deed];
  if (restock && reserves(folded.order)) folded.stock.push(stockDeed(folded, 'put_back', request.at, deed));
  return deed;
}

/** Money goes back. With `restock` the pieces have not left the house, and will not. The one place where a refund is written. */
async function giveBack(_tx: Connection, folded: Folded, request: RefundRequest, since: Since, tally: Tally): Promise<Refund> {
  const { order } = folded;
  const lines = request.lines && chosenLines(request.lines, tally.lines, { left: leftToRefund, verb: 'refund' });
  if (request.restock) demandUnshipped(request.lines ?? [], lines ?? [], tally, order.status);
  const worths = lines && request.amount === undefined ? worthOfLines(order) : undefined;
  const amounts = worths && lines?.map((line) => worthOf(line, worths, tally, order.currency));
  const amount = amounts ? amounts.reduce((sum, part) => sum + part, 0n) : unitsOfText(request.amount ?? '0');
  demandMoney(amount, leftOfMoney(unitsOfText(order.total), tally, toldPaymentStatus(order.extra)), order.currency);
  const { id, reason, restock, location } = request;
  const deed: Refund = {
    id,
    created_at: request.at,
    amount: exact(amount),
    ...(request.external_id !== undefined && { external_id: request.external_id }),
    ...(lines && { lines: lines.map((line, index) => (amounts ? { ...line, amount: exact(amounts[index] ?? 0n) } : line)) }),
    ...(reason !== undefined && { reason }),
    restock,
    ...(location !== undefined && { location }),
  };
  since.refunds = [...(since.refunds ?? []), deed];
  if (restock && reserves(order)) folded.stock.push(stockDeed(folded, 'release', request.at, { lines: lines ?? [] }));
  return deed;
}

/** What pieces of an order do to its stock. */
function stockDeed(
  { order }: Folded,
  kind: StockDeed['kind'],
  at: string,
  deed: { lines: readonly DeedLine[]; location?: string },
): StockDeed {
  return { order_id: order.id, at, kind, quantities: unitsOfPieces(order.items, deed.lines), location: deed.location };
}

function worthOf({ line, quantity }: DeedLine, worths: readonly Units[], { lines }: Tally, currency: string): Units {
  const { ordered, refunded } = lines[line - 1] ?? { ordered: 1, refunded: 0 };
  return worthOfPieces(worths[line - 1] ?? 0n, ordered, refunded, quantity, currency);
}

function exact(units: Units): object {
  return JSON.rawJSON(decimalText(units));
}

function notShipped(status: string): OrderRefused {
  const next = status === 'on_hold' ? 'Move it to processing first' : `${status} is final`;
  return new OrderRefused('INVALID_TRANSITION', `An order that is ${status} is not shipped. ${next}.`, [
    { field: 'status', reason: `the order is ${status}` },
  ]);
}

/** What has left the house comes into stock by its return, and by nothing else: else it would be counted twice. */
function demandUnshipped(asked: readonly LineChoice[], lines: readonly DeedLine[], tally: Tally, status: string): void {
  const faults = lines.flatMap(({ line, quantity }, index) => {
    const left = leftToShip(tally.lines[line - 1] as Tally['lines'][number], status);
    const place = asked[index]?.quantity === undefined ? 'line' : 'quantity';
    const kept = 'more than is left to ship';
    return quantity <= left ? [] : [{ field: `lines[${index}].${place}`, reason: `${left} of line ${line} are left to ship`, kept }];
  });
  if (faults.length === 0) return;
  throw new OrderRefused(
    'CONFLICT',
    'Only what was not shipped can be put back by a refund. What was shipped is put back by its return, with restock.',
    faults,
  );
}

function demandMoney(amount: Units, left: Units, currency: string): void {
  if (amount <= left) return;
  throw new OrderRefused('CONFLICT', 'That is more than is left of what was paid.', [
    {
      field: 'amount',
      reason: `is ${decimalText(amount)}, but ${decimalText(left)} ${currency} can be given back`,
      kept: 'is more than is left',
    },
  ]);
}

/** What a caller needs to go on. */
function stateOf({ order }: Folded): object {
  const { id, status, version, updated_at, fulfillment_status, payment_status } = order;
  return {
    id,
    status,
    version,
    updated_at,
    ...(fulfillment_status !== null && { fulfillment_status }),
    ...(payment_status !== null && { payment_status }),
  };
}

// ── Idempotency keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface Claim {
  owner: string;
  key: string;
  body_hash: string;
  order_id: string;
  expires_at: string;
  answer: string;
}

async function findAnswers(tx: Connection, requests: readonly DeedRequest[], now: string): Promise<Map<string, Claim>> {
  const names = requests.flatMap(({ idempotency }) => (idempotency ? [[idempotency.owner, idempotency.key]] : []));
  if (names.length === 0) return new Map();
  const found = await tx.all<Claim>(sql`
    select k.owner, k.key, k.body_hash, k.order_id, k.expires_at, k.answer
    from ${bulk({ owner: 'text', key: 'text' }, names)} as input
    join idempotency_keys k on k.owner = input.owner and k.key = input.key where k.expires_at > ${now}`);
  return new Map(found.map((claim) => [nameOf(claim), claim]));
}

function claimed(claims: Map<string, Claim>, { idempotency, order_id }: DeedRequest, answer: string): Claim {
  const { owner = '', key = '', bodyHash = '', expiresAt = '' } = idempotency ?? {};
  const claim = { owner, key, body_hash: bodyHash, order_id, expires_at: expiresAt, answer };
  claims.set(nameOf(claim), claim);
  return claim;
}

async function claimKeys(tx: Connection, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  const columns = { owner: 'text', key: 'text', body_hash: 'text', order_id: 'text', expires_at: 'text', answer: 'json' } as const;
  const rows = claims.map((claim) => [claim.owner, claim.key, claim.body_hash, claim.order_id, claim.expires_at, claim.answer]);
  await tx.all(sql`
    insert into idempotency_keys (owner, key, body_hash, order_id, expires_at, answer)
    select owner, key, body_hash, order_id, expires_at, answer from ${bulk(columns, rows)} as input where true
    on conflict (owner, key) do update set body_hash = excluded.body_hash, expires_at = excluded.expires_at, answer = excluded.answer`);
}

function nameOf({ owner, key }: { owner: string; key: string }): string {
  return `${owner}\0${key}`;
}
