import type { Logger } from '../lib/log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createLocalHints } from './hints.ts';
import { workerOver } from './worker.ts';

/**
 * For the embedded database, which one node has to itself. It keeps no jobs: the rows are there after every crash, and a node that
 * works looks at them at the start.
 */
export function createInProcessDispatcher(log: Logger): Dispatcher {
  return {
    work: (_queue, work) => workerOver(work, log),
    hints: createLocalHints(),
    close: async () => {},
  };
}
