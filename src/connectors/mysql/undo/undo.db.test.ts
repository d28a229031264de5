import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { testUndo } from '../../../../test/support/undone-runs.ts';
import { describe } from 'node:test';
import { reachOf } from '../../../outside/reach.ts';
import { rootsOf } from '../../../outside/roots.ts';
import type { Field } from '../../contract.ts';
import { quote } from '../catalogue/literals.ts';
import { connector } from '../connector.ts';

const FIELDS: readonly Field[] = [
  { name: 'Id', type: 'int64', nullable: false },
  { name: 'a text', type: 'text', nullable: true },
  { name: 'n', type: 'decimal', nullable: true, precision: 30, scale: 6 },
  { name: 'At', type: 'timestamp', nullable: true },
  { name: 'j', type: 'json', nullable: true },
  { name: 'b', type: 'binary', nullable: true },
  { name: 'yes', type: 'boolean', nullable: true },
  { name: 'f', type: 'float64', nullable: true },
  { name: 'big', type: 'int64', nullable: true },
];

describe('MySQL', () => {
  const mysql = useDatabase();
  testUndo(() => ({
    session: () => {
      const { host, port, user, password, name } = mysql.database;
      return connector.open(
        { host, port, user, password, database: name, tls: 'prefer' },
        { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
      );
    },
    run: async (sql) => void (await mysql.database.query(sql)),
    contents: async (table) => {
      const columns = await mysql.database.query(
        'select column_name, data_type from information_schema.columns where table_schema = database() and table_name = ? order by ordinal_position',
        [table],
      );
      const list = columns.map(([name, type]) =>
        /char|text|blob|binary/.test(type ?? '') ? `hex(${quote(name ?? '')})` : `cast(${quote(name ?? '')} as char)`,
      );
      return mysql.database.query(`select ${list.join(', ')} from ${quote(table)} order by Id`);
    },
    make: async (table) => {
      await mysql.database.query(`create table ${quote(table)} (\`Id\` bigint primary key, \`a text\` varchar(100) character set utf8mb4 collate utf8mb4_general_ci,
        n decimal(30,6), \`At\` datetime(6), j json, b longblob, yes tinyint(1), f double, big bigint, \`Own note\` text,
        touched timestamp(6) not null default current_timestamp(6) on update current_timestamp(6), \`Made\` varchar(100) generated always as (concat(n, '!')) stored)`);
      return FIELDS;
    },
    quote,
    stream: (table) => table,
  }));
});
