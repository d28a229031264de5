import { getPriority, setPriority } from 'node:os';

/**
 * How much. Enough that a request to the API is not slowed by it, and no more: beside programs of others that keep the processors busy, the
 * least urgent of all (19) gets next to nothing, for as long as they do.
 */
const NICENESS = 5;

/**
 * Lets the thread that calls it give way to the one that answers requests. Linux gives every thread a priority of its own; elsewhere it would
 * be that of the whole process. The service may have been started with a low one already, and nobody but root can raise it.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICENESS));
}
