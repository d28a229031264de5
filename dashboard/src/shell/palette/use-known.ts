import { useApi } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import { VIEWS } from '../../navigation.ts';
import { statusWord } from '../../parts/status/status.tsx';
import { useConnectors } from '../../views/sources/connectors.ts';
import { isLive } from '../../views/syncs/live-words.ts';
import { useShopScopesOf } from '../../views/syncs/shop-scopes.ts';
import { whyNoRun } from '../../views/syncs/run-button.tsx';
import { useMay } from '../me.tsx';
import type { Entry } from './match.ts';
import { useSyncDeeds } from './use-sync-deeds.ts';

/** Views without a place in the navigation that one goes to all the same. */
const NEW_THINGS = [
  { path: '/syncs/new', label: 'New synchronization', scope: 'datasync:write' },
  { path: '/sources/new', label: 'New source', scope: 'datasync:write' },
  { path: '/hooks/new', label: 'New hook', scope: 'datasync:write' },
  { path: '/webhooks/new', label: 'New webhook', scope: 'webhooks' },
  { path: '/alerts/new', label: 'New alert', scope: 'webhooks' },
] as const;

/** Everything that is found without asking the service for it by words. */
export function useKnown(): Entry[] {
  const may = useMay();
  const reads = may('datasync:read');
  const syncs = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } }, { enabled: reads });
  const sources = useApi('GET /api/v1/datasync/sources', { query: { limit: 1000 } }, { enabled: reads });
  const connectors = useConnectors();
  const deeds = useDeeds(syncs.data?.data ?? []);
  return [
    ...deeds,
    ...VIEWS.flatMap(({ path, scopes, entry }): Entry[] =>
      entry && (scopes.length === 0 || scopes.some(may)) ? [{ id: path, group: 'Views', label: entry.label, to: path }] : [],
    ),
    ...NEW_THINGS.flatMap(({ path, label, scope }): Entry[] => (may(scope) ? [{ id: path, group: 'Views', label, to: path }] : [])),
    ...(syncs.data?.data ?? []).map(
      ({ id, name, health }): Entry => ({
        id,
        group: 'Synchronizations',
        label: name,
        note: statusWord(health),
        words: id,
        to: `/syncs/${id}`,
      }),
    ),
    ...(sources.data?.data ?? []).map(
      ({ id, name, type }): Entry => ({
        id,
        group: 'Sources',
        label: name,
        note: connectors.titleOf(type),
        words: id,
        to: `/sources/${id}`,
      }),
    ),
    ...(reads ? (connectors.data?.data ?? []) : []).map(
      ({ type, title, keywords }): Entry => ({
        id: `connector ${type}`,
        group: 'Connectors',
        label: title,
        words: keywords.join(' '),
        to: `/connectors?q=${encodeURIComponent(title)}`,
      }),
    ),
  ];
}

/** What may be done with synchronizations at this moment, and by this key. */
function useDeeds(syncs: readonly Sync[]): Entry[] {
  const may = useMay();
  const scopesOf = useShopScopesOf();
  const { run, verify, pause, resume } = useSyncDeeds();
  return syncs.flatMap((sync) => {
    const { move, look } = scopesOf(sync);
    const deed = (verb: string, to: () => void): Entry => ({
      id: `${verb} ${sync.id}`,
      group: 'Actions',
      label: `${verb} ${sync.name}`,
      note: statusWord(sync.health),
      to,
    });
    const mayMove = move.every(may);
    return [
      ...(mayMove && !isLive(sync) && whyNoRun(sync) === undefined ? [deed('Run', () => run(sync))] : []),
      ...(look.every(may) && whyNoRun({ ...sync, status: 'active' }) === undefined ? [deed('Verify', () => verify(sync))] : []),
      ...(mayMove && sync.status === 'paused' ? [deed('Resume', () => resume(sync))] : []),
      // To pause what is live is asked about first, on its page.
      ...(may('datasync:write') && sync.status === 'active' && !isLive(sync) ? [deed('Pause', () => pause(sync))] : []),
    ];
  });
}
