import type { Scope } from '../http/scopes.ts';
import { maskedHeaders, type SealedHeaders, type SealedSecret } from './sealed.ts';
import type { CountedWebhook, WebhookWithState } from './queries.ts';

/** An endpoint as every caller with the scope may see it: the answer of the API. Secrets that are over are left out. */
export function renderWebhook(row: CountedWebhook, now: string) {
  const { headers, ...definition } = definitionOf(row, now);
  return {
    ...definition,
    headers: JSON.stringify(headers),
    position: row.position,
    waiting: row.waiting,
    failed: row.failed,
    failing_since: row.failing_since,
    // While the endpoint itself is held back, nothing of it is tried before.
    next_attempt_at: row.status !== 'active' || row.next_at === null ? null : later(row.next_at, row.try_at),
    last_delivered_at: row.last_delivered_at,
  };
}

/** The same without what deliveries change, as JSON text: the data of its events. */
export function webhookJson(row: WebhookWithState, now: string, besides: Record<string, unknown> = {}): string {
  return JSON.stringify({ ...definitionOf(row, now), ...besides });
}

function definitionOf(row: WebhookWithState, now: string) {
  const secrets = (JSON.parse(row.secrets) as SealedSecret[]).filter(({ expires_at }) => expires_at === null || expires_at > now);
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    types: JSON.parse(row.types) as string[],
    condition: row.condition,
    payload: row.payload,
    signature: row.signature,
    headers: maskedHeaders(JSON.parse(row.headers) as SealedHeaders),
    max_in_flight: row.max_in_flight,
    rate: row.rate,
    scopes: JSON.parse(row.scopes) as Scope[],
    status: row.status,
    status_reason: row.reason,
    status_at: row.status_at,
    public_key: secrets.findLast(({ expires_at }) => expires_at === null)?.public_key ?? null,
    secrets: secrets.map(({ id, created_at, expires_at }) => ({ id, created_at, expires_at })),
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function later(one: string, other: string | null): string {
  return other !== null && other > one ? other : one;
}
