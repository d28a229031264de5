import { useAction } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';

type Deed = (sync: Sync) => void;

/** What the palette does with a synchronization. It says that it is done, or why not. */
export function useSyncDeeds(): { run: Deed; verify: Deed; pause: Deed; resume: Deed } {
  const start = useAction('POST /api/v1/datasync/sync/{id}/runs', { done: 'The run is queued.' });
  const pausing = useAction('POST /api/v1/datasync/sync/{id}/pause', { done: 'Paused: nothing runs by its schedule.' });
  const resuming = useAction('POST /api/v1/datasync/sync/{id}/resume', { done: 'Resumed.' });
  return {
    run: ({ id }) => start.mutate({ params: { id } }),
    verify: ({ id }) => start.mutate({ params: { id }, body: { mode: 'verify' } }),
    pause: ({ id }) => pausing.mutate({ params: { id } }),
    resume: ({ id }) => resuming.mutate({ params: { id } }),
  };
}
