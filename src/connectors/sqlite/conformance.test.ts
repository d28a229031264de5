import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Row } from '../canonical.ts';
import { conformance } from '../conformance.ts';
import type { Field } from '../contract.ts';
import { rootsOf } from '../../outside/roots.ts';
import { isWhole } from '../../../test/support/whole.ts';
import { connector } from './connector.ts';
import type { SqliteConfig } from './manifest.ts';

// How a file keeps its changes is the affair of SQLite: one kind is a sample. `npm run test:whole` takes both.
for (const journal of isWhole ? ['delete', 'wal'] : ['wal']) {
  conformance<SqliteConfig>(`sqlite (${journal})`, {
    connector,
    lacks: (type, value) => type === 'float64' && value === 'NaN',
    cannot: {
      outOfOrder: 'SQLite has one writer at a time, so transactions are committed in the order in which they wrote.',
      cut: 'a file has no connection that could be cut; a process that is killed is tried in crash.test.ts',
      breakCommit: 'a file has no connection that could be cut; a process that is killed is tried in crash.test.ts',
    },
    start: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'syncline-sqlite-'));
      const path = join(folder, 'conformance.db');
      new DatabaseSync(path).exec(`pragma journal_mode = ${journal}; create table other (id)`);
      return {
        config: { path, create: true, busy_timeout_ms: 5000 },
        context: { roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }) },
        contents: async ({ name, fields }) => contents(path, name, fields),
        connections: async () => openFiles().filter((file) => file.startsWith(path)).length,
        close: async () => rmSync(folder, { recursive: true }),
      };
    },
  });
}

/** All rows as SQLite itself spells them. */
function contents(path: string, stream: string, fields: readonly Field[]): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const list = fields.map(({ name, type }) => {
    const column = `"${name.replaceAll('"', '""')}"`;
    if (type === 'boolean') return `iif(${column} is null, null, substr('ft', ${column} + 1, 1))`;
    if (type === 'binary') return `'\\x' || lower(hex(${column}))`.replace(/.*/, (hex) => `iif(${column} is null, null, ${hex})`);
    if (type === 'timestamptz') return `replace(replace(${column}, '+00:00', '+00'), 'Z', '+00')`;
    return type === 'float64' ? column : `cast(${column} as text)`;
  });
  const statement = database.prepare(`select ${list.join(', ')} from "${stream.replaceAll('"', '""')}"`);
  statement.setReturnArrays(true);
  const rows = (statement.all() as unknown as (string | number | null)[][]).map((row) =>
    row.map((value) => (value === null ? null : String(value))),
  );
  database.close();
  return rows;
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
