import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { useMay } from '../../shell/me.tsx';
import { isLive } from './live-words.ts';
import { ResumeButton, RunButton } from './run-button.tsx';
import { useShopScopes } from './shop-scopes.ts';

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
  const live = isLive(sync);
  const isPaused = sync.status === 'paused';
  return (
    <>
      {!live && (
        <RunButton sync={sync} look={{ variant: 'filled' }}>
          Run now
        </RunButton>
      )}
      <Button variant="default" onClick={onPreview}>
        Preview
      </Button>
      {isPaused ? (
        <ResumeButton sync={sync} />
      ) : (
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/pause"
          input={{ params: { id: sync.id } }}
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
