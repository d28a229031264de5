import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { refresh } from './queries.ts';
import { type Connection, useEventStream } from './use-event-stream.ts';

/** However fast things change, a list on the page is read anew no more often than this. */
const SHORTEST_PAUSE = 1_000;

const ConnectionContext = createContext<Connection>('connecting');

/** How the page hears of changes at the moment. */
export function useConnection(): Connection {
  return use(ConnectionContext);
}

/** Listens for changes, so that nothing on the page has to ask whether something is new. */
export function ChangesProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const connectedBefore = useRef(false);
  const waiting = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const connection = useEventStream(
    '/api/v1/events',
    ({ event, data }) => {
      if (event !== 'changes') return;
      for (const topic of Object.keys((JSON.parse(data) as { topics: object }).topics)) waiting.current.add(topic);
      if (waiting.current.size === 0 || timer.current !== undefined) return;
      const tell = (): void => {
        timer.current = undefined;
        if (waiting.current.size === 0) return;
        const topics = [...waiting.current];
        waiting.current.clear();
        timer.current = setTimeout(tell, SHORTEST_PAUSE);
        void refresh(client, topics);
      };
      tell();
    },
    () => {
      // Who has been away does not know what was missed; and what could not be had before the first connection may be had now.
      void client.invalidateQueries(connectedBefore.current ? {} : { predicate: ({ state }) => state.status === 'error' });
      connectedBefore.current = true;
    },
  );
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}
