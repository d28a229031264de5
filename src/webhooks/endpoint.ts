import type { Connection } from '../db/database.ts';
import type { Scope } from '../http/scopes.ts';
import type { Keyring } from '../lib/secrets.ts';
import type { Payload } from './message.ts';
import { type EndpointStatus, type WebhookWithState, webhooksWithState } from './queries.ts';
import { openHeaders, openSecrets, type SealedHeaders, type SealedSecret, unreadable } from './sealed.ts';
import type { SignatureKind, SigningSecret } from './signature.ts';

/** An endpoint as deliveries need it, with its secrets: never to be logged, stored or shown. Plain data, as it goes from thread to thread. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Patterns for `matchesType`. */
  readonly types: readonly string[];
  /** CEL over `type`, `object_id` and `data`: see `CONDITION_FIELDS`. */
  readonly condition: string | null;
  readonly payload: Payload;
  readonly signature: SignatureKind;
  readonly secrets: readonly SigningSecret[];
  /** Headers of the user's own, opened. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxInFlight: number;
  /** A second; null for any number. */
  readonly rate: number | null;
  /** What it may be told of: topics by `readableTopics`, data as `eventsFor` veils it. */
  readonly scopes: readonly Scope[];
  /** Who answers for what it costs: the key that has made it; for one of an admin, it alone. */
  readonly owner: string;
  readonly version: number;
  readonly status: EndpointStatus;
  readonly position: number;
  readonly failures: number;
  readonly failingSince: string | null;
  readonly tryAt: string | null;
  readonly lastDeliveredAt: string | null;
  /** Why nothing can be sent to it at all, in words: its secrets cannot be read on this node. Then it has none. */
  readonly problem: string | null;
}

/** All endpoints, or those of these ids, whatever their status. */
export async function readEndpoints(db: Connection, keyring: Keyring, ids?: readonly string[]): Promise<Endpoint[]> {
  return (await webhooksWithState(db, ids)).map((row) => endpointOf(row, keyring));
}

export function endpointOf(row: WebhookWithState, keyring: Keyring): Endpoint {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    types: JSON.parse(row.types) as string[],
    condition: row.condition,
    payload: row.payload,
    signature: row.signature,
    ...opened(row, keyring),
    maxInFlight: row.max_in_flight,
    rate: row.rate,
    scopes: JSON.parse(row.scopes) as Scope[],
    owner: row.share_of ?? row.id,
    version: row.version,
    status: row.status,
    position: row.position,
    failures: row.failures,
    failingSince: row.failing_since,
    tryAt: row.try_at,
    lastDeliveredAt: row.last_delivered_at,
  };
}

function opened(row: WebhookWithState, keyring: Keyring): Pick<Endpoint, 'secrets' | 'headers' | 'problem'> {
  try {
    return {
      secrets: openSecrets(keyring, row.id, JSON.parse(row.secrets) as SealedSecret[]),
      headers: openHeaders(keyring, row.id, JSON.parse(row.headers) as SealedHeaders),
      problem: null,
    };
  } catch (error) {
    const problem = unreadable(error);
    if (problem === undefined) throw error;
    return { secrets: [], headers: {}, problem };
  }
}
