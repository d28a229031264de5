import { randomUUID } from 'node:crypto';
import { type Connection, createConnection } from 'mysql2/promise';

/** A database of its own on the server of this run, and a way to it that is not the connector's. */
export interface MysqlDatabase {
  host: string;
  port: number;
  user: string;
  password: string;
  name: string;
  /** Runs a statement; rows come as arrays of texts. */
  query(sql: string, values?: readonly unknown[]): Promise<(string | null)[][]>;
  /** Another connection, for transactions. */
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

export async function mysqlDatabase(server?: string): Promise<MysqlDatabase> {
  const given = server ?? process.env['TEST_MYSQL_URL'];
  if (!given) throw new Error('TEST_MYSQL_URL is not set: run the tests with `npm test` or `node test/run.ts <file>`.');
  const url = new URL(given);
  const name = `test_${randomUUID().slice(0, 8)}`;
  const account = {
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username || 'root'),
    password: decodeURIComponent(url.password),
  };
  const connections: Connection[] = [];
  const connect = async (database?: string): Promise<Connection> => {
    const connection = await createConnection({
      ...account,
      charset: 'utf8mb4',
      timezone: 'Z',
      ...(database !== undefined && { database }),
    });
    await connection.query("set time_zone = '+00:00'");
    connections.push(connection);
    return connection;
  };
  const main = await connect();
  await main.query(`create database \`${name}\` character set utf8mb4`);
  await main.query(`use \`${name}\``);
  return {
    ...account,
    name,
    query: async (sql, values = []) => {
      const [rows] = await main.query({ sql, values: [...values], rowsAsArray: true, typeCast: (field) => field.string() });
      return Array.isArray(rows) ? (rows as unknown as (string | null)[][]) : [];
    },
    connect: () => connect(name),
    close: async () => {
      // A transaction that a failed test left open would be in the way.
      for (const connection of connections) if (connection !== main) connection.destroy();
      await main.query(`drop database \`${name}\``);
      main.destroy();
    },
  };
}
