import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Input, requestOf } from './client.ts';
import { linesOf } from './event-stream.ts';
import { keepConnected } from './keep-connected.ts';
import type { Log } from './resources.ts';
import type { Connection } from './use-event-stream.ts';

const OPERATION = 'GET /api/v1/datasync/logs';
export type LogQuery = NonNullable<Input<typeof OPERATION>['query']>;

/** How many of the past are shown at first, and how many are kept. */
const FIRST = 200;
export const MOST_FOLLOWED = 1000;

/** Log entries as they come, newest first, while the page is seen. Other filters need another instance: set a `key`. */
export function useFollowedLogs(filters: LogQuery): { logs: readonly Log[] | undefined; connection: Connection; error: Error | undefined } {
  const [logs, setLogs] = useState<readonly Log[]>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [error, setError] = useState<Error>();
  const visible = useDocumentVisibility() === 'visible';
  const newest = useRef<string>(undefined);
  // After a break it goes on from the last entry that is known, so that none is missed.
  const path = useEffectEvent(() => {
    const place = newest.current === undefined ? { limit: FIRST } : { limit: MOST_FOLLOWED, from: newest.current };
    return requestOf(OPERATION, { query: { ...filters, ...place, follow: 'true' } }).path;
  });
  useEffect(() => {
    if (!visible) return;
    const stop = new AbortController();
    const read = async (response: Response, alive: () => void): Promise<boolean> => {
      setLogs((known) => known ?? []);
      for await (const line of linesOf(response)) {
        alive();
        if (line === '') continue;
        const log = JSON.parse(line) as Log;
        newest.current = log.time;
        setLogs((known = []) => (known.some(({ id }) => id === log.id) ? known : [log, ...known].slice(0, MOST_FOLLOWED)));
      }
      return false;
    };
    const onConnection = (isConnected: boolean): void => setConnection(isConnected ? 'connected' : 'lost');
    keepConnected(() => path(), { accept: 'application/x-ndjson', read, onConnection, signal: stop.signal }).catch(setError);
    return () => stop.abort();
  }, [visible]);
  return { logs, connection, error };
}
