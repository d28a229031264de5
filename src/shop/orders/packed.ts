import type { OrderDraft } from './order-draft.ts';
import type { OrderLine } from './rules.ts';

// Drafts on their way to another thread are text: their fields one after the other, with NULs between. As JSON they took several times as
// long on both sides, as much of an order is JSON text already, and would have every quote in it escaped. No text that we keep has a NUL in it.

const BETWEEN = '\0';
const FIELDS_OF_LINE = 5;
/** Few enough that what the other thread makes of them is forgotten soon: objects that live long are copied when memory is tidied. */
const TOGETHER = 256;

export interface PackedDrafts {
  /** Some drafts each, in their order. */
  packed: string[];
}

export function packDrafts(drafts: readonly OrderDraft[]): PackedDrafts {
  return packTogether(drafts.map(packDraft));
}

/** Drafts that were packed one by one. */
export function packTogether(texts: readonly string[]): PackedDrafts {
  const packed: string[] = [];
  for (let at = 0; at < texts.length; at += TOGETHER) packed.push(texts.slice(at, at + TOGETHER).join(BETWEEN));
  return { packed };
}

/** How many fields it has, itself among them, then the fields. Nothing is written as no text: none of these is ever empty. */
export function packDraft(draft: OrderDraft): string {
  const { idempotency, lines } = draft;
  const fields = [
    '',
    draft.id,
    draft.created_at,
    draft.customer_id,
    draft.currency,
    draft.external_id ?? '',
    draft.total,
    draft.shipping_address ?? '',
    draft.metadata,
    draft.extra ?? '',
    draft.payment_status ?? '',
    draft.reserve ? '1' : '',
    draft.status ?? '',
    draft.past ?? '',
  ];
  if (idempotency) fields.push(idempotency.key, idempotency.owner, idempotency.bodyHash, idempotency.expiresAt);
  else fields.push('');
  fields.push(String(lines.length));
  for (const { product_id, quantity, price, line_total, more } of lines)
    fields.push(product_id, String(quantity), price, line_total, more ?? '');
  fields[0] = String(fields.length);
  return fields.join(BETWEEN);
}

/** As they were packed, some at a time. */
export function* unpackDrafts({ packed }: PackedDrafts): Generator<OrderDraft[], void, void> {
  for (const text of packed) yield unpacked(text);
}

function unpacked(packed: string): OrderDraft[] {
  const fields = packed.split(BETWEEN);
  let at = 0;
  const next = (): string => fields[at++] as string;
  const drafts: OrderDraft[] = [];
  while (at < fields.length) {
    const end = at + Number(next());
    const draft: OrderDraft = {
      id: next(),
      created_at: next(),
      customer_id: next(),
      currency: next(),
      external_id: next() || null,
      total: next(),
      lines: [],
      shipping_address: next() || null,
      metadata: next(),
      idempotency: null,
    };
    const [extra, paymentStatus, reserve, status, past, key] = [next(), next(), next(), next(), next(), next()];
    if (extra) draft.extra = extra;
    if (paymentStatus) draft.payment_status = paymentStatus;
    if (reserve) draft.reserve = true;
    if (status) draft.status = status;
    if (past) draft.past = past;
    if (key) draft.idempotency = { key, owner: next(), bodyHash: next(), expiresAt: next() };
    const lines = Number(next());
    // A NUL within a field would move all that come behind it.
    if (at + lines * FIELDS_OF_LINE !== end) throw new Error('A packed order has another number of fields than it was given.');
    for (let left = lines; left > 0; left--) draft.lines.push(nextLine(next));
    drafts.push(draft);
  }
  return drafts;
}

function nextLine(next: () => string): OrderLine {
  const line: OrderLine = { product_id: next(), quantity: Number(next()), price: next(), line_total: next() };
  const more = next();
  if (more) line.more = more;
  return line;
}
