import { allAlerts } from '../alerts/queries.ts';
import { command } from '../db/database.ts';
import { allHooks } from '../datasync/hooks/queries.ts';
import { allSources } from '../datasync/sources/queries.ts';
import { allSyncRows } from '../datasync/syncs/queries.ts';
import { may, type Principal, type Scope } from '../http/scopes.ts';
import { activeKeys } from '../keys/queries.ts';
import { isoTime } from '../lib/clock.ts';
import { webhooksWithState } from '../webhooks/queries.ts';
import { type ConfigEntry, SECTIONS, type Section } from './document.ts';
import { alertEntry, hookEntry, keyEntry, type NameOf, sourceEntry, type StoredRows, syncEntry, webhookEntry } from './entries.ts';

/** What a caller needs to be told of a section, and to change it: what its own routes ask for. */
export const SCOPES_OF: Readonly<Record<Section, { read: Scope; write: Scope }>> = {
  sources: { read: 'datasync:read', write: 'datasync:write' },
  hooks: { read: 'datasync:read', write: 'datasync:write' },
  syncs: { read: 'datasync:read', write: 'datasync:write' },
  webhooks: { read: 'webhooks', write: 'webhooks' },
  alerts: { read: 'webhooks', write: 'webhooks' },
  keys: { read: 'admin', write: 'admin' },
};

/** All that a document may speak of, on one snapshot. */
export const readStored = command(import.meta.url, 'readStored', async (db, { now }: { now: number }): Promise<StoredRows> => {
  const [sources, hooks, syncs, webhooks, alerts, keys] = await Promise.all([
    allSources(db),
    allHooks(db),
    allSyncRows(db),
    webhooksWithState(db),
    allAlerts(db),
    activeKeys(db, isoTime(now)),
  ]);
  return { sources, hooks, syncs, webhooks, alerts, keys };
});

/** The sections that a caller may read; the others are left out. */
export function readableBy(caller: Principal): Section[] {
  return SECTIONS.filter((section) => may(caller, SCOPES_OF[section].read));
}

export function namesOf(rows: StoredRows): NameOf {
  const names = new Map(SECTIONS.flatMap((section) => rows[section].map(({ id, name }) => [`${section} ${id}`, name] as const)));
  return (section, id) => names.get(`${section} ${id}`) ?? id;
}

/** A row as an entry with every member; masks stand where secrets are. */
export function entryOf(section: Section, row: StoredRows[Section][number], nameOf: NameOf): ConfigEntry {
  switch (section) {
    case 'sources':
      return sourceEntry(row as StoredRows['sources'][number], nameOf);
    case 'hooks':
      return hookEntry(row as StoredRows['hooks'][number], nameOf);
    case 'syncs':
      return syncEntry(row as StoredRows['syncs'][number], nameOf);
    case 'webhooks':
      return webhookEntry(row as StoredRows['webhooks'][number]);
    case 'alerts':
      return alertEntry(row as StoredRows['alerts'][number], nameOf);
    default:
      return keyEntry(row as StoredRows['keys'][number]);
  }
}
