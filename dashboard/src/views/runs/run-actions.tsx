import type { Run, Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { isUnderWay } from '../../parts/status/status.tsx';
import { useShopScopes } from '../syncs/shop-scopes.ts';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** What can be done with a run in its present state, by a key with the scopes that its synchronization needs. */
export function RunActions({ run, sync }: { run: Run; sync: Sync | undefined }) {
  const goOn = useGoOn();
  const { move, look } = useShopScopes(sync);
  if (!isUnderWay(run.status)) {
    // What is live goes on by itself.
    if (run.mode === 'rejects' || run.live) return null;
    return (
      <ActionButton
        operation="POST /api/v1/datasync/sync/{id}/runs"
        input={{ params: { id: run.sync_id }, body: { mode: run.mode } }}
        scope={run.mode === 'preview' ? look : move}
        done="A new run is queued."
        onDone={({ data }) => goOn(`/runs/${data.id}`)}
      >
        Run again
      </ActionButton>
    );
  }
  return (
    <>
      {run.status === 'needs_approval' && (
        <ActionButton
          operation="POST /api/v1/datasync/runs/{id}/approve"
          input={{ params: { id: run.id } }}
          scope={move}
          done="Approved: the run goes on."
          look={{ variant: 'filled' }}
          confirm={{
            title: 'Approve this run?',
            about: 'It does what it was stopped from doing, as told on this page. What it deletes at the target is gone.',
          }}
        >
          Approve
        </ActionButton>
      )}
      <ActionButton
        operation="POST /api/v1/datasync/runs/{id}/cancel"
        input={{ params: { id: run.id } }}
        scope="datasync:write"
        done={({ data }) => (data.status === 'cancelled' ? 'The run is cancelled.' : 'The run is being cancelled.')}
        unavailable={run.cancel_requested ? 'It is being cancelled and ends within seconds.' : undefined}
        look={{ color: 'red' }}
        confirm={{
          title: run.live ? 'Cancel this run and pause?' : 'Cancel this run?',
          about: run.live
            ? 'As another one would begin at once, the synchronization is paused with it. What is written stays at the target; once it is resumed, it goes on from there.'
            : 'What is written already stays at the target. The next run goes on from there.',
        }}
      >
        {run.live ? 'Cancel and pause' : 'Cancel the run'}
      </ActionButton>
    </>
  );
}
