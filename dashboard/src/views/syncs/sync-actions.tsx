import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { useMay } from '../../shell/me.tsx';
import { statusWord } from '../../parts/status/status.tsx';
import { isLive } from './live-words.ts';
import { useShopScopes } from './shop-scopes.ts';

/** Why no run can be started at this moment. */
export function whyNoRun({ status, current_run }: Sync): string | undefined {
  // Beside what is live, previews run; and it stands aside while rejected rows are tried again.
  if (current_run !== null && !current_run.live)
    return `A run is in progress (${statusWord(current_run.status).toLowerCase()}): there is one at a time.`;
  return status === 'paused' ? 'It is paused: resume it first.' : undefined;
}

const PAUSE_LIVE = {
  title: 'Pause it?',
  about:
    'The target stays as it is, and the source keeps its log until it is resumed. When more piles up there than the synchronization allows, the log is let go, and the streams are loaded anew.',
};

interface SyncActionsProps {
  sync: Sync;
  onPreview: () => void;
}

/** What one does with a synchronization every day. The rest is under "Manage". */
export function SyncActions({ sync, onPreview }: SyncActionsProps) {
  const may = useMay();
  const { move } = useShopScopes(sync);
  const input = { params: { id: sync.id } };
  const live = isLive(sync);
  const isPaused = sync.status === 'paused';
  return (
    <>
      {!live && (
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/runs"
          input={input}
          scope={move}
          unavailable={whyNoRun(sync)}
          done="The run is queued."
          look={{ variant: 'filled' }}
        >
          Run now
        </ActionButton>
      )}
      <Button variant="default" onClick={onPreview}>
        Preview
      </Button>
      {isPaused ? (
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/resume"
          input={input}
          scope={move}
          done={live ? 'Resumed: it goes on where it was.' : 'Resumed: it runs by its schedule.'}
        >
          Resume
        </ActionButton>
      ) : (
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/pause"
          input={input}
          scope="datasync:write"
          done={live ? 'Paused: it stops following its source.' : 'Paused: nothing runs by its schedule.'}
          {...(live && { confirm: PAUSE_LIVE })}
        >
          Pause
        </ActionButton>
      )}
      {move.every(may) && (
        <Button component={Link} href={`/syncs/${sync.id}/edit`} variant="default">
          Edit
        </Button>
      )}
      {move.every(may) && (
        <Button component={Link} href={`/syncs/new?like=${encodeURIComponent(sync.id)}`} variant="default">
          Duplicate
        </Button>
      )}
    </>
  );
}
