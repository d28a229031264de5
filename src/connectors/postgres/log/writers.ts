import { setTimeout as pause } from 'node:timers/promises';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { Link } from '../wire/link.ts';

// A transaction that has written to a table before it was put into the publication is not told, even if it commits later: the log is read with the eyes of the moment of
// each change. And who loads the table in between does not see it either. So we wait until all of them are over, as the server does when it makes an index beside the work.

const WRITERS = `
  select distinct l.virtualtransaction as transaction, coalesce(l.pid::text, '') as process from pg_catalog.pg_locks l
  where l.locktype = 'relation' and l.database = (select oid from pg_catalog.pg_database where datname = current_database()) and l.granted
    and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') and l.pid is distinct from pg_backend_pid()
    and l.relation in (select json_array_elements_text($1::json)::oid union
      select t.relid::oid from json_array_elements_text($1::json) r, lateral pg_catalog.pg_partition_tree(r::oid::regclass) t)`;

/** Waits for those who have written to these tables up to now. */
export async function waitForWriters(link: Link, oids: readonly string[], patience: number, signal?: AbortSignal): Promise<void> {
  if (oids.length === 0) return;
  const deadline = performance.now() + patience;
  const ask = async (): Promise<Map<string, string>> =>
    new Map((await link.query(WRITERS, [JSON.stringify(oids)])).map((row) => [row['transaction'] ?? '', row['process'] ?? '']));
  let waitedFor = await ask();
  for (let wait = 10; waitedFor.size > 0; wait = Math.min(wait * 2, 500)) {
    if (signal?.aborted) throw aborted();
    if (performance.now() > deadline) {
      const processes = [...waitedFor.values()].map((process) => (process ? `process ${process}` : 'a prepared transaction'));
      throw new OutsideError(
        'transient',
        'OLD_TRANSACTION',
        `Transactions that have written to the new streams before have not ended within ${patience / 1000} seconds: ${processes.join(', ')}.`,
        {
          hint: 'Wait until they have ended, or end them: SELECT pg_terminate_backend(<process>); a prepared one by ROLLBACK PREPARED.',
        },
      );
    }
    await pause(wait);
    const now = await ask();
    waitedFor = new Map([...waitedFor].filter(([transaction]) => now.has(transaction)));
  }
}
