import { useState } from 'react';
import type { Run } from './resources.ts';
import { type Connection, useEventStream } from './use-event-stream.ts';

/** A run as it goes on: what was known of it, and then what the service tells, several times a second, until it is over. */
export function useLiveRun(run: Run, follow = true): { run: Run; connection: Connection } {
  const [told, setTold] = useState<Run>();
  const connection = useEventStream(follow ? `/api/v1/datasync/runs/${run.id}/events` : undefined, ({ event, data }) => {
    if (event === 'run') setTold(JSON.parse(data) as Run);
  });
  // A part that does not follow it any more must not show what was told last: it may have ended in between.
  return { run: follow && told?.id === run.id ? told : run, connection };
}
