import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { useMay } from '../../shell/me.tsx';
import { isLive } from '../syncs/live-words.ts';
import { useShopScopes } from '../syncs/shop-scopes.ts';
import { useSources } from '../syncs/source-names.ts';
import { whyNoRun } from '../syncs/sync-actions.tsx';

/** What helps a synchronization that goes no further by itself. */
export function HelpingButton({ sync }: { sync: Sync }) {
  const { move } = useShopScopes(sync);
  const broken = useBrokenSource(sync);
  const { id, health, health_reason, current_run } = sync;
  if (health === 'needs_approval') return <Lead href={`/runs/${current_run?.id ?? ''}`}>See and decide</Lead>;
  if (health === 'paused') {
    return (
      <ActionButton
        operation="POST /api/v1/datasync/sync/{id}/resume"
        input={{ params: { id } }}
        scope={move}
        done="Resumed."
        look={{ size: 'xs' }}
      >
        Resume
      </ActionButton>
    );
  }
  if (health_reason.includes('/rejects')) return <Lead href={`/syncs/${id}?tab=rejects`}>See the rejected rows</Lead>;
  // What was cancelled goes on where it was; everything else has to be looked at.
  if (health === 'degraded' && !health_reason.includes('cancelled')) return <Lead href={`/syncs/${id}`}>See what is wrong</Lead>;
  if (broken !== undefined) return <Lead href={`/sources/${broken}/edit`}>Correct the source</Lead>;
  if (isLive(sync)) return <Lead href={`/syncs/${id}`}>See what is wrong</Lead>;
  return (
    <ActionButton
      operation="POST /api/v1/datasync/sync/{id}/runs"
      input={{ params: { id } }}
      scope={move}
      unavailable={whyNoRun(sync)}
      done="The run is queued."
      look={{ size: 'xs' }}
    >
      Run again
    </ActionButton>
  );
}

function Lead({ href, children }: { href: string; children: string }) {
  return (
    <Button component={Link} href={href} size="xs" variant="default">
      {children}
    </Button>
  );
}

/** The end that the last run complained of, where it is the settings or the password and this key may change them. */
function useBrokenSource({ source_id, target_id, last_run, health_reason }: Sync): string | undefined {
  const { sources } = useSources();
  const may = useMay();
  const kinds = [last_run?.error, ...(last_run?.streams.map(({ error }) => error) ?? [])].map((error) => error?.kind);
  if (!may('datasync:write') || !kinds.some((kind) => kind === 'auth' || kind === 'config')) return undefined;
  return sources?.find(({ id, name }) => (id === source_id || id === target_id) && health_reason.includes(`"${name}":`))?.id;
}
