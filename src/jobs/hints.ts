import type { Command, Database } from '../db/database.ts';

/**
 * What there may be news of. `runs`: something is wanted of a run; `syncs`: schedules have changed; `keys`: a key was
 * made or revoked; `shop`: orders or products have changed; `webhooks`: an endpoint has changed, or something is to be sent to it again;
 * `hooks`: a hook was made or changed.
 */
export const TOPICS = ['runs', 'syncs', 'keys', 'shop', 'webhooks', 'hooks'] as const;
export type HintTopic = (typeof TOPICS)[number];

/**
 * Tells all nodes that there may be news. A hint makes things quick and is never the truth: it may be lost, so every listener
 * also looks from time to time.
 */
export interface Hints {
  /** Tells this node at once and the others within a moment. May be called often: the others hear of it ten times a second at most. */
  tell(topic: HintTopic): void;
  /** Calls back when there may be news; the answer ends it. */
  listen(topic: HintTopic, listener: () => void): () => void;
  /** Whether all news comes as hints, so that one may ask less often. */
  areHeard(): boolean;
}

/** For a node that is alone. */
export function createLocalHints(): Hints {
  const listeners = new Map<HintTopic, Set<() => void>>(TOPICS.map((topic) => [topic, new Set()]));
  return {
    tell: (topic) => {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    listen: (topic, listener) => {
      listeners.get(topic)?.add(listener);
      return () => listeners.get(topic)?.delete(listener);
    },
    areHeard: () => true,
  };
}

/** The same database, but all nodes hear of what is written through it, after the commit. */
export function telling(db: Database, hints: Hints, topic: HintTopic): Database {
  return {
    ...db,
    write: async <Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output> => {
      const output = await db.write(command, input);
      hints.tell(topic);
      return output;
    },
  };
}
