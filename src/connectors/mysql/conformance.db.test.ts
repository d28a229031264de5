import { mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { LOGGING } from '../../../test/support/mysql-log.ts';
import { ownMysqlWords, startOwnMysql } from '../../../test/support/mysql-server.ts';
import { statementOf } from '../../../test/support/source-changes.ts';
import { conformance } from '../conformance.ts';
import { proxyTo } from '../conformance/proxy.ts';
import { connector } from './connector.ts';
import { quote } from './catalogue/literals.ts';
import type { MysqlConfig } from './manifest.ts';

conformance<MysqlConfig>('mysql', {
  connector,
  // What the server has no value for.
  lacks: (type, value) => /infinity$|^nan$/i.test(value) || value.endsWith(' BC') || (type === 'date' && value.startsWith('10000')),
  limits: { columns: 1000 },
  overlaps: true,
  keepsNoLog: true,
  start: async () => {
    // With the names of columns, what was logged before a table was altered is understood.
    const server = await startOwnMysql([...LOGGING, '--binlog-row-metadata=FULL']);
    const database = await mysqlDatabase(server.url);
    const writer = await database.connect();
    const proxy = await proxyTo(database.port, database.host);
    const { name } = database;
    // What the documents ask for, and nothing else.
    const [user, password] = ['syncline', 'choose one'];
    await database.query(`create user ${user}@'%' identified by '${password}'`);
    await database.query(
      `grant select, insert, update, delete, create, alter, index, drop, create temporary tables on ${quote(name)}.* to ${user}@'%'`,
    );
    await database.query(`grant replication slave, replication client on *.* to ${user}@'%'`);
    // For tables of very many fields MySQL wants more.
    if (!ownMysqlWords().isMariaDb) await database.query(`grant session_variables_admin on *.* to ${user}@'%'`);
    const insert = (stream: string, width: number): string => `insert into ${quote(stream)} values (${Array(width).fill('?').join(', ')})`;
    return {
      config: {
        host: '127.0.0.1',
        port: proxy.port,
        database: name,
        user,
        password,
        // The proxy looks for the commit, and the rows that come late are dated a day before.
        tls: 'disable',
        overlap: 2 * 86_400,
      },
      transact: async (changes) => {
        await writer.query('start transaction');
        for (const change of changes) {
          const { sql, values } = statementOf(change, { table: quote, column: quote, parameter: () => '?' });
          await writer.query(sql, values);
        }
        await writer.query('commit');
      },
      outOfOrder: async (stream, early, late) => {
        const [one, two] = [await database.connect(), await database.connect()];
        await one.query('start transaction');
        await one.query(insert(stream.name, early.length), [...early]);
        await two.query(insert(stream.name, late.length), [...late]);
        return async () => {
          await one.query('commit');
        };
      },
      cut: () => Promise.resolve(proxy.cut()),
      breakCommit: (moment) => Promise.resolve(proxy.cutAt(/commit$/, moment)),
      connections: () => Promise.resolve(proxy.connections()),
      close: async () => {
        await proxy.close();
        await database.close();
        server.stop();
      },
    };
  },
});
