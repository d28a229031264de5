import type { AlertChannel } from '../alerts/alert.ts';
import { completeQuiet, completeRule } from '../alerts/check.ts';
import type { AlertRow } from '../alerts/queries.ts';
import type { ChangedAlert, NewAlert } from '../alerts/schemas.ts';
import { MASK } from '../datasync/sources/secret-members.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime, parseTime } from '../lib/clock.ts';
import { invalidParam } from '../lib/errors.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import type { KeyRow } from '../keys/queries.ts';
import type { WebhookRow } from '../webhooks/queries.ts';
import type { ChangedWebhookBody, NewWebhookBody } from '../webhooks/schemas.ts';
import { differences, type FieldChange } from './differences.ts';
import type { ConfigEntry } from './document.ts';
import { alertEntry, keyEntry, webhookEntry } from './entries.ts';
import { attempt, idOf, type Planning, storedOf } from './planning.ts';
import { withSecrets } from './secrets.ts';

// Who is told, and who may ask: endpoints of webhooks, alerts and keys.

export async function planWebhooks(planning: Planning): Promise<void> {
  for (const [name, entry] of Object.entries(planning.document.webhooks ?? {})) {
    await attempt(planning, 'webhooks', name, async () => {
      const before = storedOf(planning, 'webhooks', name);
      if (before) return planWebhookChange(planning, before, entry);
      const { endpoint, secret } = await planning.webhooks.prepare(planning.caller, { ...(entry as Omit<NewWebhookBody, 'name'>), name });
      planning.steps.push({ run: 'createWebhook', section: 'webhooks', name, input: endpoint });
      planning.made.push({ section: 'webhooks', name, secret, token: null });
      const fields = differences({}, webhookEntry(endpoint.row));
      const effects = ['It is sent the events from then on, signed with a secret that is shown once.'];
      planning.changes.push({ section: 'webhooks', name, action: 'create', fields, effects });
    });
  }
}

async function planWebhookChange(planning: Planning, before: WebhookRow, entry: ConfigEntry): Promise<void> {
  const { name } = before;
  const was = webhookEntry(before);
  const unsaid = { types: ['*'], condition: null, payload: 'full', signature: before.signature, headers: {}, max_in_flight: 8, rate: null };
  const given: ConfigEntry = { ...unsaid, ...entry };
  const fields = [
    ...differences(
      was,
      withSecrets('webhooks', given, () => MASK),
    ),
    ...secretChanges('headers', planning.webhooks.headersOf(before), given['headers'] as JsonObject),
  ];
  if (fields.length === 0) return;
  const changed = new Set(fields.map(({ field }) => field.split('.', 1)[0] ?? ''));
  // Headers belong to the receiver that they were saved for: another address has to be told them anew, which the document does.
  if (changed.has('url')) changed.add('headers');
  const change = Object.fromEntries([...changed].map((member) => [member, given[member]])) as ChangedWebhookBody;
  const input = await planning.webhooks.prepareUpdate(planning.caller, before, change);
  if (!input) return;
  planning.steps.push({ run: 'updateWebhook', section: 'webhooks', name, input });
  planning.changes.push({ section: 'webhooks', name, action: 'update', fields, effects: [] });
}

export async function planAlerts(planning: Planning): Promise<void> {
  for (const [name, entry] of Object.entries(planning.document.alerts ?? {})) {
    await attempt(planning, 'alerts', name, () => {
      const { syncs, ...form } = entry;
      const ids = syncs == null ? null : (syncs as string[]).map((sync) => idOf(planning, 'syncs', sync));
      // What is wrong with a synchronization is told there.
      if (ids?.includes('')) return;
      const input = { ...(form as Omit<NewAlert, 'name' | 'sync_ids'>), name, sync_ids: ids };
      const before = storedOf(planning, 'alerts', name);
      if (before) return planAlertChange(planning, before, input, entry);
      const { alert, secret } = planning.alerts.prepare(planning.caller, input);
      planning.steps.push({ run: 'createAlert', section: 'alerts', name, input: alert });
      if (secret !== null) planning.made.push({ section: 'alerts', name, secret, token: null });
      const fields = differences({}, { ...alertEntry(alert, planning.nameOf), syncs: syncs ?? null });
      planning.changes.push({ section: 'alerts', name, action: 'create', fields, effects: [] });
    });
  }
}

function planAlertChange(planning: Planning, before: AlertRow, input: NewAlert, entry: ConfigEntry): void {
  const { name } = before;
  const opened: AlertChannel = planning.alerts.openChannel(before);
  const channel = { ...(opened.type === input.channel.type ? unsaidOf(opened) : {}), ...(input.channel as JsonObject) };
  const was = alertEntry(before, planning.nameOf);
  const is: ConfigEntry = {
    channel: withSecrets('alerts', { channel }, () => MASK)['channel'],
    rules: input.rules.map((rule) => completeRule(rule)),
    syncs: entry['syncs'] ?? null,
    remind_every: input.remind_every ?? null,
    quiet_hours: input.quiet_hours ? completeQuiet(input.quiet_hours) : null,
  };
  const fields = [...differences(was, is), ...secretChanges('channel', opened, channel)];
  if (fields.length === 0) return;
  const changed = new Set(fields.map(({ field }) => field.split(/[.[]/, 1)[0] ?? ''));
  const change: ChangedAlert = {
    ...(changed.has('channel') && { channel: input.channel }),
    ...(changed.has('rules') && { rules: input.rules }),
    ...(changed.has('syncs') && { sync_ids: input.sync_ids ?? null }),
    ...(changed.has('remind_every') && { remind_every: input.remind_every ?? null }),
    ...(changed.has('quiet_hours') && { quiet_hours: input.quiet_hours ?? null }),
  };
  const { update, secret } = planning.alerts.prepareUpdate(planning.caller, before, change);
  planning.steps.push({ run: 'updateAlert', section: 'alerts', name, input: update });
  if (secret !== null) planning.made.push({ section: 'alerts', name, secret, token: null });
  planning.changes.push({ section: 'alerts', name, action: 'update', fields, effects: [] });
}

/** Of a channel: what stays when nothing is said of it. */
function unsaidOf(channel: AlertChannel): JsonObject {
  if (channel.type === 'webhook') return { secret: channel.secret };
  return channel.type === 'email' ? { ca: null } : {};
}

/** Of what was a secret before and is one now: which are others, and never what they are. */
function secretChanges(member: string, before: object, after: JsonObject): FieldChange[] {
  const known = before as JsonObject;
  const isMasked = (name: string): boolean => member === 'headers' || ['smtp_url', 'url', 'secret'].includes(name);
  return Object.keys(after)
    .filter((name) => isMasked(name) && typeof known[name] === 'string' && after[name] !== MASK && after[name] !== known[name])
    .map((name) => ({ field: `${member}.${name}`, before: MASK, after: 'another secret' }));
}

export async function planKeys(planning: Planning): Promise<void> {
  const { caller, clock } = planning;
  for (const [name, entry] of Object.entries(planning.document.keys ?? {})) {
    await attempt(planning, 'keys', name, () => {
      const before = storedOf(planning, 'keys', name);
      const wish = {
        scopes: entry['scopes'] as Scope[],
        rate_limit: (entry['rate_limit'] as number | undefined) ?? null,
        expires_at: endOf(entry, clock()),
      };
      const is = keyEntry({ ...wish, scopes: JSON.stringify(wish.scopes) });
      const fields = differences(
        before ? keyEntry(before) : {},
        sameScopes(before, wish.scopes) ? { ...is, scopes: JSON.parse(before?.scopes ?? '[]') as unknown } : is,
      );
      if (before && fields.length === 0) return;
      if (before?.id === caller.id && !wish.scopes.includes('admin'))
        throw invalidParam('scopes', 'must have admin: it is the key of this request, and would lock itself out');
      const by = { actor: caller.actor(), now: clock() };
      planning.steps.push(
        before
          ? { run: 'changeKey', section: 'keys', name, input: { ...by, id: before.id, ...wish } }
          : { run: 'createKey', section: 'keys', name, input: { ...by, name, ...wish } },
      );
      const effects = before ? [] : ['The key itself is shown once.'];
      planning.changes.push({ section: 'keys', name, action: before ? 'update' : 'create', fields, effects });
    });
  }
}

function sameScopes(before: KeyRow | undefined, scopes: readonly Scope[]): boolean {
  const sorted = (list: readonly string[]): string => [...list].sort().join(' ');
  return before !== undefined && sorted(JSON.parse(before.scopes) as Scope[]) === sorted(scopes);
}

function endOf({ expires_at }: ConfigEntry, now: number): string | null {
  if (typeof expires_at !== 'string') return null;
  const time = parseTime(expires_at);
  if (!time || time.milliseconds <= now) throw invalidParam('expires_at', 'must be a time in the future, such as 2030-01-31T00:00:00Z');
  return isoTime(time.milliseconds);
}
