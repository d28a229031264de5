import { isDeepStrictEqual } from 'node:util';
import { shareOf } from '../datasync/access/share.ts';
import type { Database } from '../db/database.ts';
import type { Field } from '../connectors/contract.ts';
import type { Caller } from '../http/caller.ts';
import type { Principal, Scope } from '../http/scopes.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { type FieldError, invalidParam, invalidParams, notFound, unavailable } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import type { Keyring } from '../lib/secrets.ts';
import { OutsideError } from '../outside/errors.ts';
import { reachOf } from '../outside/reach.ts';
import { demandAll, scopesFor } from './access.ts';
import {
  counted,
  createWebhook,
  deleteWebhook,
  type NewEndpoint,
  replaceWebhookSecrets,
  updateWebhook,
  type WebhookColumns,
  type WebhookUpdate,
} from './commands.ts';
import { CONDITION_FIELDS } from './condition-fields.ts';
import { forgetDeliveries } from './deliveries.ts';
import { patternFault } from './filter.ts';
import { replayDeliveries, type Replayed, type ReplayWish } from './replay.ts';
import { type CountedWebhook, findWebhook, type WebhookRow, webhooksWithState } from './queries.ts';
import { headerFaults, urlFault } from './rules.ts';
import type { ChangedWebhookBody, NewWebhookBody } from './schemas.ts';
import { MASK, openHeaders, resealed, type SealedHeaders, type SealedSecret, sealHeaders, sealSecret, unreadable } from './sealed.ts';
import { kindOfSecret, type SignatureKind } from './signature.ts';
import { pauseWebhook, rotateWebhook } from './state-commands.ts';

export interface WebhookService {
  /** With the secret, which is shown this once; null where receivers need the public key alone. */
  create(caller: Caller, input: NewWebhookBody): Promise<{ row: CountedWebhook; secret: string | null }>;
  update(caller: Caller, id: string, change: ChangedWebhookBody): Promise<CountedWebhook>;
  /** What `create` and `update` would write, with all checks, for a caller that writes it together with more; undefined when nothing changes. */
  prepare(caller: Caller, input: NewWebhookBody): Promise<{ endpoint: NewEndpoint; secret: string | null }>;
  prepareUpdate(caller: Caller, before: WebhookRow, change: ChangedWebhookBody): Promise<WebhookUpdate | undefined>;
  /** The headers of an endpoint with their values: never to be logged, stored or shown. */
  headersOf(row: WebhookRow): Record<string, string>;
  /** Resolves when no attempt is begun from here any more at endpoints that were deleted. */
  endingsHeeded(): Promise<void>;
  /** No attempt is begun from here any more when it has resolved. The same goes for `pause`. */
  remove(caller: Caller, id: string): Promise<CountedWebhook>;
  pause(caller: Caller, id: string): Promise<CountedWebhook>;
  /** With the new secret, as `create` shows it. */
  rotate(caller: Caller, id: string, wish: RotationWish): Promise<{ row: CountedWebhook; secret: string | null }>;
  /** Has deliveries sent again; answers how many. */
  replay(caller: Caller, id: string, wish: ReplayWish): Promise<number>;
  /** Encrypts anew whatever was encrypted with a key that is no longer the first. */
  renewSecrets(): Promise<void>;
}

interface RotationWish {
  overlapSeconds: number;
  /** The kind of the new secret; undefined for that of the one before. */
  signature: SignatureKind | undefined;
}

/** Understands conditions in a thread of its own. */
interface ConditionChecker {
  conditionFault(caller: Principal, condition: string, fields: readonly Field[]): Promise<string | undefined>;
}

interface Options {
  /** All nodes hear of what is written through it. */
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  prober: ConditionChecker;
  /** Where connections may go to. */
  networks: string;
  /** How many endpoints one key may have. */
  mostPerKey: number;
  /** Resolves when no attempt is begun from here any more at endpoints that were paused or deleted. */
  endingsHeeded: () => Promise<void>;
}

/** Steps that hold up no other writer; there may be millions of deliveries. */
const AT_ONCE = 5000;

export function createWebhookService({ db, clock, log, keyring, prober, networks, mostPerKey, endingsHeeded }: Options): WebhookService {
  const reach = reachOf(networks);

  /** Throws every fault with its field. */
  const check = async (caller: Caller, input: ChangedWebhookBody): Promise<void> => {
    const faults: FieldError[] = (input.types ?? []).flatMap((pattern, place) => faultAt(`types[${place}]`, patternFault(pattern)));
    if (input.url !== undefined) faults.push(...faultAt('url', urlFault(input.url, reach)));
    if (input.headers !== undefined) faults.push(...headerFaults(input.headers));
    if (typeof input.condition === 'string') faults.push(...faultAt('condition', await understood(caller, input.condition)));
    if (faults.length > 0) throw invalidParams(faults);
  };
  const understood = async (caller: Caller, condition: string): Promise<string | undefined> => {
    try {
      return await prober.conditionFault(caller, condition, CONDITION_FIELDS);
    } catch (error) {
      throw error instanceof OutsideError && error.kind !== 'bug' ? unavailable(`${error.message} Try again in a moment`) : error;
    }
  };

  const prepare: WebhookService['prepare'] = async (caller, input) => {
    await check(caller, input);
    const types = input.types ?? ['*'];
    const scopes = scopesFor(caller, types);
    const { id, time } = newId('whk', clock());
    const signature = input.signature ?? 'symmetric';
    const { secret, stored } = sealSecret(keyring, id, signature, time);
    const row: WebhookColumns = {
      id,
      name: input.name,
      url: input.url,
      types: JSON.stringify(types),
      condition: input.condition ?? null,
      payload: input.payload ?? 'full',
      signature,
      secrets: JSON.stringify([stored]),
      headers: JSON.stringify(sealHeaders(keyring, id, headersOf(input.headers ?? {}))),
      max_in_flight: input.max_in_flight ?? 8,
      rate: input.rate ?? null,
      scopes: JSON.stringify(scopes),
    };
    const by = { actor: caller.actor(), share: shareOf(caller.id, caller), most: mostPerKey, now: time };
    const from = input.from === 'start' ? 0 : (input.from ?? null);
    return { endpoint: { ...by, row, from }, secret: sharedSecret(secret) };
  };
  const prepareUpdate: WebhookService['prepareUpdate'] = async (caller, before, change) => {
    demandAll(caller, JSON.parse(before.scopes) as Scope[]);
    if (change.signature !== undefined && change.signature !== before.signature)
      throw invalidParam('signature', `cannot be changed here; it is ${before.signature}. Rotate the secret to one of the other kind`);
    await check(caller, change);
    demandHeadersAgain(before, change);
    const row = changed(before, change, caller, keyring);
    if (isDeepStrictEqual(row, changed(before, {}, caller, keyring))) return undefined;
    const { id, version } = before;
    return { actor: caller.actor(), scopes: caller.scopes, now: clock(), id, version, row, fields: Object.keys(change) };
  };

  return {
    prepare,
    prepareUpdate,
    endingsHeeded,
    headersOf: (row) => openHeaders(keyring, row.id, JSON.parse(row.headers) as SealedHeaders),
    create: async (caller, input) => {
      const { endpoint, secret } = await prepare(caller, input);
      return { row: await db.write(createWebhook, endpoint), secret };
    },
    update: async (caller, id, change) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const before = await findWebhook(db.read, id);
        if (!before) throw notFound('endpoint', id);
        const update = await prepareUpdate(caller, before, change);
        if (!update) return await counted(db.read, id);
        const done = await db.write(updateWebhook, update);
        if (done) return done;
      }
    },
    remove: async (caller, id) => {
      while ((await db.write(forgetDeliveries, { id, most: AT_ONCE })) === AT_ONCE);
      const row = await db.write(deleteWebhook, { actor: caller.actor(), now: clock(), id });
      await endingsHeeded();
      return row;
    },
    pause: async (caller, id) => {
      const row = await db.write(pauseWebhook, { actor: caller.actor(), now: clock(), id });
      await endingsHeeded();
      return row;
    },
    rotate: async (caller, id, { overlapSeconds, signature: wanted }) => {
      const before = await findWebhook(db.read, id);
      if (!before) throw notFound('endpoint', id);
      const [now, signature] = [clock(), wanted ?? before.signature];
      const { secret, stored } = sealSecret(keyring, id, signature, now);
      const by = { actor: caller.actor(), scopes: caller.scopes, now };
      return { row: await db.write(rotateWebhook, { ...by, id, signature, stored, overlapSeconds }), secret: sharedSecret(secret) };
    },
    replay: async (caller, id, wish) => {
      const by = { actor: caller.actor(), scopes: caller.scopes, id, wish, most: AT_ONCE };
      let queued = 0;
      for (let [after, first]: [number, number | undefined] = [0, undefined]; ; ) {
        const step: Replayed = await db.write(replayDeliveries, { ...by, now: clock(), after, first });
        queued += step.queued;
        ({ last: after, first } = step);
        if (step.queued < AT_ONCE) return queued;
      }
    },
    renewSecrets: async () => {
      for (const { id, version, secrets, headers } of await webhooksWithState(db.read)) {
        try {
          const stored = { secrets: JSON.parse(secrets) as SealedSecret[], headers: JSON.parse(headers) as SealedHeaders };
          const anew = resealed(keyring, id, stored);
          if (!anew) continue;
          await db.write(replaceWebhookSecrets, {
            id,
            version,
            secrets: JSON.stringify(anew.secrets),
            headers: JSON.stringify(anew.headers),
          });
          log.info({ webhook_id: id, at: isoTime(clock()) }, 'encrypted the secrets of an endpoint with the new key');
        } catch (error) {
          const reason = unreadable(error);
          if (reason === undefined) throw error;
          log.warn({ webhook_id: id, reason }, 'the secrets of an endpoint cannot be read');
        }
      }
    },
  };
}

/** What a receiver is given of a secret. A private key is never let out: who has it could sign as we do. */
function sharedSecret(secret: string): string | null {
  return kindOfSecret(secret) === 'symmetric' ? secret : null;
}

function faultAt(field: string, reason: string | undefined): FieldError[] {
  return reason === undefined ? [] : [{ field, reason }];
}

function changed(before: WebhookRow, change: ChangedWebhookBody, caller: Caller, keyring: Keyring): WebhookColumns {
  return {
    id: before.id,
    name: change.name ?? before.name,
    url: change.url ?? before.url,
    types: change.types ? JSON.stringify(change.types) : before.types,
    condition: change.condition === undefined ? before.condition : change.condition,
    payload: change.payload ?? before.payload,
    signature: before.signature,
    secrets: before.secrets,
    headers: change.headers === undefined ? before.headers : JSON.stringify(keptHeaders(before, change.headers, keyring)),
    max_in_flight: change.max_in_flight ?? before.max_in_flight,
    rate: change.rate === undefined ? before.rate : change.rate,
    scopes: change.types ? JSON.stringify(grownScopes(before, caller, change.types)) : before.scopes,
  };
}

/**
 * It is told of more when its types are saved by a key that may read more, and not because such a key gave it another name. What it was told
 * of before stays among them: that can still be looked at, and be sent again.
 */
function grownScopes(before: WebhookRow, caller: Caller, types: readonly string[]): Scope[] {
  return [...new Set([...(JSON.parse(before.scopes) as Scope[]), ...scopesFor(caller, types)])].sort();
}

/**
 * Headers hold secrets for the receiver that they were saved for. A caller that leads the endpoint elsewhere has to know them: otherwise
 * they could be had by leading it to a receiver of one's own. Throws unless the stored ones are given anew or dropped.
 */
function demandHeadersAgain(before: WebhookRow, { url, headers }: ChangedWebhookBody): void {
  if (url === undefined || new URL(url).origin === new URL(before.url).origin) return;
  const stored = new Set(Object.keys(JSON.parse(before.headers) as SealedHeaders).map((name) => name.toLowerCase()));
  if (stored.size === 0) return;
  const why = 'the stored one is for the address before, and url leads to another host, port or scheme now';
  if (headers === undefined) throw invalidParam('headers', `send the values again, or {} for none: ${why.replace('one is', 'ones are')}`);
  const masked = Object.keys(headers).filter((name) => headers[name] === MASK && stored.has(name.toLowerCase()));
  if (masked.length > 0) throw invalidParams(masked.map((name) => ({ field: `headers.${name}`, reason: `send its value again: ${why}` })));
}

/** New headers, where a mask stands for what was there before. */
function keptHeaders(before: WebhookRow, headers: Record<string, string>, keyring: Keyring): SealedHeaders {
  const stored = JSON.parse(before.headers) as SealedHeaders;
  const known = new Map(Object.entries(stored).map(([name, sealed]) => [name.toLowerCase(), sealed]));
  const given = Object.entries(headers).filter(([name, value]) => value !== MASK || !known.has(name.toLowerCase()));
  const sealed = sealHeaders(keyring, before.id, headersOf(Object.fromEntries(given)));
  return Object.fromEntries(Object.keys(headers).map((name) => [name, sealed[name] ?? known.get(name.toLowerCase()) ?? '']));
}

/** Headers as they are given; throws where there is nothing that a mask could stand for. */
function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const masked = Object.keys(headers).filter((name) => headers[name] === MASK);
  if (masked.length === 0) return headers;
  const reason = 'is the placeholder of a secret that is not stored: send the secret itself';
  throw invalidParams(masked.map((name) => ({ field: `headers.${name}`, reason })));
}
