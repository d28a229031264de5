import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { useMay } from '../../shell/me.tsx';
import { isLive } from '../syncs/live-words.ts';
import { ResumeButton, RunButton } from '../syncs/run-button.tsx';

/** What helps a synchronization that goes no further by itself. */
export function HelpingButton({ sync }: { sync: Sync }) {
  const broken = useBrokenSource(sync);
  const { id, health, health_code, current_run } = sync;
  if (health === 'needs_approval') return <Lead href={`/runs/${current_run?.id ?? ''}`}>See and decide</Lead>;
  if (health === 'paused') return <ResumeButton sync={sync} look={{ size: 'xs' }} />;
  if (health_code === 'rows_rejected') return <Lead href={`/syncs/${id}?tab=rejects`}>See the rejected rows</Lead>;
  if (health_code === 'differs') return <Lead href={`/syncs/${id}?tab=proof`}>See what differs</Lead>;
  // What was cancelled goes on where it was; everything else has to be looked at.
  if (health === 'degraded' && health_code !== 'run_cancelled') return <Lead href={`/syncs/${id}`}>See what is wrong</Lead>;
  if (broken !== undefined) return <Lead href={`/sources/${broken}/edit`}>Correct the source</Lead>;
  if (isLive(sync)) return <Lead href={`/syncs/${id}`}>See what is wrong</Lead>;
  return (
    <RunButton sync={sync} look={{ size: 'xs' }}>
      Run again
    </RunButton>
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
function useBrokenSource({ source_id, target_id, last_run }: Sync): string | undefined {
  const may = useMay();
  if (!may('datasync:write')) return undefined;
  const errors = [last_run?.error, ...(last_run?.streams.map(({ error }) => error) ?? [])];
  const end = errors.find((error) => error?.end && (error.kind === 'auth' || error.kind === 'config'))?.end;
  return end && { source: source_id, target: target_id }[end];
}
