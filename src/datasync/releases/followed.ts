import { type Database, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { Prober } from '../sources/prober.ts';
import type { SourceRow } from '../sources/queries.ts';
import type { SourceService } from '../sources/service.ts';
import type { ReleaseRow } from './rows.ts';

interface Asked {
  readonly db: Database;
  readonly sources: Pick<SourceService, 'configOf'>;
  readonly prober: Pick<Prober, 'ask'>;
}

/**
 * Whether what is to be released is what the synchronization follows now, by another way: a server may have several names. Throws when nobody can tell
 * at this moment, as one of them is away.
 */
export async function isFollowed(row: ReleaseRow, config: unknown, { db, sources, prober }: Asked): Promise<boolean> {
  const followed = await first<Pick<SourceRow, 'id' | 'name' | 'type' | 'config' | 'secrets'>>(
    db.read,
    sql`select sources.id, sources.name, sources.type, sources.config, sources.secrets
      from syncs join sync_state on sync_state.sync_id = syncs.id join sources on sources.id = syncs.source_id
      where syncs.id = ${row.sync_id} and sync_state.live <> 0`,
  );
  if (followed?.type !== row.type) return false;
  const before = await prober.ask(row.type, config, { ask: 'identity' });
  if (before === null) return false;
  const now = await prober.ask(followed.type, sources.configOf(followed), { ask: 'identity' });
  if (before === now) return true;
  // One that was started anew between the two questions is another only by its looks.
  if ((await prober.ask(row.type, config, { ask: 'identity' })) === before) return false;
  throw new OutsideError('transient', 'RESTARTED', `"${row.source_name}" was started anew at this moment.`);
}
