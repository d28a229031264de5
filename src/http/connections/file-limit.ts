import { readFileSync } from 'node:fs';

/** What else needs open files: databases, logs, threads of runs with their sources. */
const PART_FOR_CONNECTIONS = 3 / 4;

/**
 * How many connections the system lets this process have. When it runs out of open files it can take no new connection, and
 * cannot even open its database: before that, connections have to make room.
 */
export function connectionsWithinFileLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Infinity : Math.floor(Number(limit) * PART_FOR_CONNECTIONS);
  } catch {
    // Only Linux tells.
    return Infinity;
  }
}
