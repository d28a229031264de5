import { useState } from 'react';
import type { Run } from './resources.ts';
import { type Connection, useEventStream } from './use-event-stream.ts';

/** A run as it goes on: what was known of it, and then what the service tells, several times a second, until it is over. */
export function useFollowedRun(run: Run, follow = true): { run: Run; connection: Connection } {
  const { told, connection } = useTold(follow ? run.id : undefined);
  return { run: told ?? run, connection };
}

/** Browsers open six connections to a server at most: runs that are followed must leave some for everything else. */
export const MOST_FOLLOWED = 3;

/** Some runs as they go on: the first few of them are followed, of the others is said what is known. */
export function useFollowedRuns(runs: readonly Run[]): readonly Run[] {
  // As many as `MOST_FOLLOWED`.
  const all = [useTold(runs[0]?.id), useTold(runs[1]?.id), useTold(runs[2]?.id)];
  return runs.map((run, place) => all[place]?.told ?? run);
}

/** What the service has told last of the run that is followed. */
function useTold(id: string | undefined): { told: Run | undefined; connection: Connection } {
  const [told, setTold] = useState<Run>();
  const connection = useEventStream(id === undefined ? undefined : `/api/v1/datasync/runs/${id}/events`, ({ event, data }) => {
    if (event === 'run') setTold(JSON.parse(data) as Run);
  });
  // A part that does not follow it any more must not show what was told last: it may have ended in between.
  return { told: told?.id === id ? told : undefined, connection };
}
