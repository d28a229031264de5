import { DatabaseSync } from 'node:sqlite';
import { testApplying } from '../../../../test/support/applied-changes.ts';
import { database, open } from '../../../../test/support/sqlite-files.ts';
import type { Row } from '../../canonical.ts';

const path = database('pragma journal_mode = wal');

const run = async (sql: string): Promise<void> => {
  const other = new DatabaseSync(path, { timeout: 5000 });
  other.exec(sql);
  other.close();
};

testApplying(() => ({
  session: () => open(path),
  run,
  rows: async (sql) => {
    const other = new DatabaseSync(path);
    const rows = other.prepare(sql).all() as Record<string, string | number | null>[];
    other.close();
    return rows.map((row): Row => Object.values(row).map((value) => (value === null ? null : String(value))));
  },
  witness: async (table) => {
    const trigger = (op: string, row: string): string =>
      `create trigger see_${op} after ${op} on ${table} begin insert into seen values ('${op}', ${row}.id); end`;
    await run(
      ['create table seen (op text, id integer)', trigger('insert', 'new'), trigger('update', 'new'), trigger('delete', 'old')].join('; '),
    );
  },
}));
