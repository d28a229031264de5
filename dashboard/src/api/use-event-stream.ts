import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useEffectEvent, useState } from 'react';
import { followEvents, type StreamEvent } from './event-stream.ts';
import { useSession } from './session.ts';

export type Connection = 'connecting' | 'connected' | 'lost';

/**
 * Follows a stream of the service while the page is seen; a hidden page holds no connection. `undefined` follows nothing.
 * Answers how the connection is.
 */
export function useEventStream(path: string | undefined, onEvent: (event: StreamEvent) => void, onConnected?: () => void): Connection {
  const [connection, setConnection] = useState<Connection>('connecting');
  const { state, number } = useSession();
  const isIn = state !== 'out';
  const visible = useDocumentVisibility() === 'visible';
  const handle = useEffectEvent(onEvent);
  const connected = useEffectEvent(() => onConnected?.());
  useEffect(() => {
    if (path === undefined || !isIn || !visible) return;
    const stop = new AbortController();
    const onConnection = (isConnected: boolean): void => {
      setConnection(isConnected ? 'connected' : 'lost');
      if (isConnected) connected();
    };
    // What is refused for good (401, 403, 404) is told by the query of the same view.
    followEvents(path, { signal: stop.signal, onEvent: (event) => handle(event), onConnection }).catch(() => setConnection('lost'));
    return () => stop.abort();
  }, [path, isIn, number, visible]);
  return connection;
}
