import type { AlertRow } from '../alerts/queries.ts';
import { findManifest } from '../connectors/registry.ts';
import type { HookRow } from '../datasync/hooks/queries.ts';
import { definitionOf, LIVE_DEFAULTS } from '../datasync/runs/rows/stored-definition.ts';
import { MASK } from '../datasync/sources/secret-members.ts';
import type { SourceRow } from '../datasync/sources/queries.ts';
import { DEFAULT_GUARD } from '../datasync/syncs/drafts.ts';
import type { SyncRow } from '../datasync/syncs/queries.ts';
import { shownDefinition } from '../datasync/syncs/render.ts';
import { sizeOfBytes } from '../datasync/syncs/sizes.ts';
import type { KeyRow } from '../keys/queries.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import { maskedHeaders, type SealedHeaders } from '../webhooks/sealed.ts';
import type { WebhookRow } from '../webhooks/queries.ts';
import type { ConfigEntry, Section } from './document.ts';

// What is stored, as entries of a document: with every member, names in the place of ids, and masks where secrets are.

export interface StoredRows {
  readonly sources: readonly SourceRow[];
  readonly hooks: readonly HookRow[];
  readonly syncs: readonly SyncRow[];
  readonly webhooks: readonly WebhookRow[];
  readonly alerts: readonly AlertRow[];
  readonly keys: readonly KeyRow[];
}

/** What something is called, by its id. */
export type NameOf = (section: Section, id: string) => string;

export function sourceEntry({ type, config }: Pick<SourceRow, 'type' | 'config'>, nameOf: NameOf): ConfigEntry {
  const shown = JSON.parse(config) as JsonObject;
  const member = findManifest(type)?.hookMember;
  const hook = member === undefined ? undefined : shown[member];
  return { type, config: member !== undefined && typeof hook === 'string' ? { ...shown, [member]: nameOf('hooks', hook) } : shown };
}

export function hookEntry(
  { scheme, secrets, header, sync_id }: Pick<HookRow, 'scheme' | 'secrets' | 'header' | 'sync_id'>,
  nameOf: NameOf,
): ConfigEntry {
  return { scheme, secret: secrets === null ? null : MASK, header, sync: sync_id === null ? null : nameOf('syncs', sync_id) };
}

export function syncEntry(row: Pick<SyncRow, 'source_id' | 'target_id' | 'definition' | 'status'>, nameOf: NameOf): ConfigEntry {
  const { schedule, streams, structure, on_reject, guard, schema_changes, on_gap, max_retained, expect_every, undo, verify } =
    shownDefinition(definitionOf(row));
  return {
    source: nameOf('sources', row.source_id),
    target: nameOf('sources', row.target_id),
    schedule: schedule.type === 'after' ? { type: schedule.type, sync: nameOf('syncs', schedule.sync_id) } : schedule,
    streams,
    structure,
    on_reject,
    guard,
    schema_changes,
    on_gap,
    max_retained,
    expect_every: expect_every ?? null,
    undo: undo ?? null,
    verify: verify ?? null,
    status: row.status,
  };
}

type WebhookSaid = Pick<WebhookRow, 'url' | 'types' | 'condition' | 'payload' | 'signature' | 'headers' | 'max_in_flight' | 'rate'>;

export function webhookEntry({ url, types, condition, payload, signature, headers, max_in_flight, rate }: WebhookSaid): ConfigEntry {
  return {
    url,
    types: JSON.parse(types) as string[],
    condition,
    payload,
    signature,
    headers: maskedHeaders(JSON.parse(headers) as SealedHeaders),
    max_in_flight,
    rate,
  };
}

type AlertSaid = Pick<AlertRow, 'channel' | 'rules' | 'sync_ids' | 'remind_every' | 'quiet_hours'>;

export function alertEntry({ channel, rules, sync_ids, remind_every, quiet_hours }: AlertSaid, nameOf: NameOf): ConfigEntry {
  const ids = sync_ids === null ? null : (JSON.parse(sync_ids) as string[]);
  return {
    channel: JSON.parse(channel) as JsonObject,
    rules: JSON.parse(rules) as unknown,
    syncs: ids && ids.map((id) => nameOf('syncs', id)),
    remind_every,
    quiet_hours: quiet_hours === null ? null : (JSON.parse(quiet_hours) as unknown),
  };
}

export function keyEntry({ scopes, rate_limit, expires_at }: Pick<KeyRow, 'scopes' | 'rate_limit' | 'expires_at'>): ConfigEntry {
  return { scopes: JSON.parse(scopes) as unknown, rate_limit, expires_at };
}

/** What entries are when nothing is said of a member: it is left out of what is written. */
export const UNSAID: Readonly<Record<Section, ConfigEntry>> = {
  sources: {},
  hooks: { secret: null, header: null, sync: null },
  syncs: {
    structure: 'data',
    on_reject: 'quarantine',
    guard: DEFAULT_GUARD,
    schema_changes: 'apply',
    on_gap: LIVE_DEFAULTS.on_gap,
    max_retained: sizeOfBytes(LIVE_DEFAULTS.max_retained),
    expect_every: null,
    undo: null,
    verify: null,
    status: 'active',
  },
  webhooks: { condition: null, payload: 'full', signature: 'symmetric', headers: {}, max_in_flight: 8, rate: null },
  alerts: { syncs: null, remind_every: null, quiet_hours: null },
  keys: { rate_limit: null, expires_at: null },
};

/** An entry as people write it: without what goes without saying. */
export function briefEntry(section: Section, entry: ConfigEntry): ConfigEntry {
  const unsaid = UNSAID[section];
  const said = Object.entries(entry).filter(
    ([name, value]) => !Object.hasOwn(unsaid, name) || JSON.stringify(unsaid[name]) !== JSON.stringify(value),
  );
  const brief = Object.fromEntries(said);
  if (section === 'alerts') return { ...brief, channel: withoutNulls(brief['channel'] as JsonObject) };
  return section === 'syncs' ? { ...brief, streams: (brief['streams'] as JsonObject[]).map(briefStream) } : brief;
}

function briefStream(stream: JsonObject): JsonObject {
  const { cursor, fields, filter, ...rest } = stream;
  const isFiltered = Array.isArray(filter) && filter.length > 0;
  return { ...rest, ...(cursor != null && { cursor }), ...(fields != null && { fields }), ...(isFiltered && { filter }) };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
