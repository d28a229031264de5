import type { HookPort } from '../../connectors/hook-port.ts';
import type { Database } from '../../db/database.ts';
import { findHook, readCalls } from './queries.ts';

/** The calls of hooks as the rows of a source. */
export function createHookPort(db: Database): HookPort {
  return {
    find: async (hookId) => {
      const row = await findHook(db.read, hookId);
      return row && { name: row.name, calls: row.calls };
    },
    read: (hookId, after, most) => db.query(readCalls, { hookId, after, most }),
  };
}
