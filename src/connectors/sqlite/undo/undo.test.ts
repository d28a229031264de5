import { DatabaseSync } from 'node:sqlite';
import { database, open } from '../../../../test/support/sqlite-files.ts';
import { testUndo } from '../../../../test/support/undone-runs.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { quote } from '../database/open.ts';

const path = database('pragma journal_mode = wal');

const FIELDS: readonly Field[] = [
  { name: 'Id', type: 'int64', nullable: false },
  { name: 'a text', type: 'text', nullable: true },
  { name: 'n', type: 'decimal', nullable: true },
  { name: 'At', type: 'timestamp', nullable: true },
  { name: 'tz', type: 'timestamptz', nullable: true },
  { name: 'j', type: 'json', nullable: true },
  { name: 'b', type: 'binary', nullable: true },
  { name: 'yes', type: 'boolean', nullable: true },
  { name: 'f', type: 'float64', nullable: true },
  { name: 'big', type: 'int64', nullable: true },
];

function using<Result>(work: (other: DatabaseSync) => Result): Result {
  const other = new DatabaseSync(path, { timeout: 5000 });
  try {
    return work(other);
  } finally {
    other.close();
  }
}

testUndo(() => ({
  session: () => open(path),
  run: async (sql) => using((other) => other.exec(sql)),
  contents: async (table) =>
    using((other) => {
      const columns = other.prepare('select name from pragma_table_xinfo(?)').all(table) as { name: string }[];
      const list = columns.map(({ name }) => `quote(${quote(name)})`).join(', ');
      const rows = other.prepare(`select ${list} from ${quote(table)} order by "Id"`);
      rows.setReturnArrays(true);
      return rows.all() as unknown as Row[];
    }),
  make: async (table) => {
    using((other) =>
      other.exec(`create table ${quote(table)} ("Id" integer primary key, "a text" text collate nocase, n text, "At" text, tz text, j text, b blob,
        yes boolean, f real, big integer, "Own note" text, "Made" text generated always as (n || '!') stored)`),
    );
    return FIELDS;
  },
  quote,
  stream: (table) => table,
}));
