import { randomBytes } from 'node:crypto';
import type { SharedDatabase } from '../db/database.ts';
import type { Logger } from '../lib/log.ts';
import { createLocalHints, type Hints, TOPICS, type HintTopic } from './hints.ts';

const CHANNEL = 'syncline_hints';
/** What happens between two of them is told together. A commit that tells something costs the server more than others do. */
const SHORTEST_PAUSE = 100;

/** For nodes that share a database: they tell each other through it, after the commit and outside of it. */
export function createSharedHints(shared: SharedDatabase, log: Logger): Hints & { close: () => void } {
  const local = createLocalHints();
  /** What this node tells it has heard itself already. */
  const self = randomBytes(6).toString('base64url');
  const toTell = new Set<HintTopic>();
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const announce = (): void => {
    timer = undefined;
    toldAt = performance.now();
    const topics = [...toTell];
    toTell.clear();
    shared
      .tell(CHANNEL, [self, ...topics].join(' '))
      .catch((error: unknown) => log.debug({ err: error }, 'a hint got lost; other nodes will find out by themselves'));
  };
  const hear = (topics: readonly HintTopic[]): void => {
    for (const topic of topics) local.tell(topic);
  };
  shared.listen(
    CHANNEL,
    (message) => {
      const [sender, ...topics] = message.split(' ');
      if (sender !== self) hear(TOPICS.filter((topic) => topics.includes(topic)));
    },
    () => hear(TOPICS),
  );
  return {
    listen: (topic, listener) => local.listen(topic, listener),
    areHeard: () => shared.isHeard(),
    tell: (topic) => {
      local.tell(topic);
      toTell.add(topic);
      timer ??= setTimeout(announce, Math.max(0, toldAt + SHORTEST_PAUSE - performance.now()));
    },
    close: () => clearTimeout(timer),
  };
}
