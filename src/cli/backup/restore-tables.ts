import { recordAudit } from '../../audit/record.ts';
import { bulk } from '../../db/bulk.ts';
import { command, type Connection } from '../../db/database.ts';
import { SCHEMA_VERSION } from '../../db/migrate.ts';
import { raw, sql } from '../../db/sql.ts';
import { actorCalled } from '../../http/caller.ts';
import { amount } from '../shown/amounts.ts';
import { type Chunk, openBackup, refused } from './backup-file.ts';
import type { BackupHeader, TableCounts } from './backup-format.ts';
import { BACKUP_TABLES } from './backup-tables.ts';

// A database with rows in one of these is in use. Keys and their audit trail do not count: a service that was only just
// started has made its admin key.
const SHOP_TABLES = ['orders', 'products', 'events', 'idempotency_keys'];

/** Fills the tables from a backup, all or nothing: whatever is wrong with the file, the transaction takes it back. */
export const restoreTables = command(
  import.meta.url,
  'restoreTables',
  async (tx, { path, now }: { path: string; now: number }): Promise<TableCounts> => {
    await lockTables(tx);
    await refuseIfInUse(tx);
    const backup = await openBackup(path);
    try {
      if (backup.header.schema !== SCHEMA_VERSION) throw new Error(`${path} is not of this schema: it has to be brought up to date first.`);
      for (const { name } of BACKUP_TABLES.toReversed()) await tx.all(sql`delete from ${raw(name)}`);
      const counts: TableCounts = {};
      for await (const chunk of backup.chunks) {
        await insert(tx, chunk);
        counts[chunk.table.name] = (counts[chunk.table.name] ?? 0) + chunk.rows.length;
      }
      const { created_at, app } = backup.header;
      await recordAudit(tx, now, {
        actor: actorCalled('command line'),
        action: 'backup.restored',
        object_id: '',
        details: { created_at, app },
      });
      return counts;
    } finally {
      await backup.close();
    }
  },
);

/** What a newer version has written has tables or columns that this one does not know. */
export function refuseNewer(path: string, { schema, app }: BackupHeader): void {
  if (schema > SCHEMA_VERSION) throw refused(`${path} was written by a newer Syncline (${app}). Restore it with that one.`);
}

/** Nobody may write between our look at the tables and our commit. SQLite has one writer anyway. */
async function lockTables(tx: Connection): Promise<void> {
  if (tx.engine === 'sqlite') return;
  await tx.all(sql`lock table ${raw(BACKUP_TABLES.map(({ name }) => name).join(', '))} in exclusive mode`);
}

async function refuseIfInUse(tx: Connection): Promise<void> {
  const found: string[] = [];
  for (const name of SHOP_TABLES) {
    const [row] = await tx.all<{ n: number }>(sql`select count(*) as n from ${raw(name)}`);
    if (row && row.n > 0) found.push(amount(row.n, name.replace(/s$/, '').replace('_', ' ')));
  }
  if (found.length > 0) {
    throw refused(
      `The database is not empty: it holds ${found.join(', ')}. Nothing was changed. ` +
        'Restore into an empty one: another SYNCLINE_DATA_DIR or DATABASE_URL.',
    );
  }
}

async function insert(tx: Connection, { table, rows }: Chunk): Promise<void> {
  const names = raw(Object.keys(table.columns).join(', '));
  await tx.all(sql`insert into ${raw(table.name)} (${names}) select ${names} from ${bulk(table.columns, rows)} as input`);
}
