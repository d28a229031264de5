import type { ButtonProps } from '@mantine/core';
import type { Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
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

interface SyncButtonProps {
  sync: Sync;
  look?: Pick<ButtonProps, 'variant' | 'size'>;
}

/** Starts a run. `children` is what it is called: the first try, or another. */
export function RunButton({ sync, look, children }: SyncButtonProps & { children: string }) {
  const { move } = useShopScopes(sync);
  return (
    <ActionButton
      operation="POST /api/v1/datasync/sync/{id}/runs"
      input={{ params: { id: sync.id } }}
      scope={move}
      unavailable={whyNoRun(sync)}
      done="The run is queued."
      {...(look && { look })}
    >
      {children}
    </ActionButton>
  );
}

/** Ends a pause, of a person's or of Syncline's. */
export function ResumeButton({ sync, look }: SyncButtonProps) {
  const { move } = useShopScopes(sync);
  return (
    <ActionButton
      operation="POST /api/v1/datasync/sync/{id}/resume"
      input={{ params: { id: sync.id } }}
      scope={move}
      done={isLive(sync) ? 'Resumed: it goes on where it was.' : 'Resumed: it runs by its schedule.'}
      {...(look && { look })}
    >
      Resume
    </ActionButton>
  );
}
