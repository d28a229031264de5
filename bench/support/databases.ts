import pg from 'pg';
import { atEnd } from './cleanup.ts';

/** An empty database on a server, gone with the end of the benchmark. Answers its address. */
export async function newDatabase(serverUrl: string, prefix: string): Promise<string> {
  const name = `${prefix}_${process.pid}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`create database ${name}`);
  atEnd(() => administer(`drop database if exists ${name} with (force)`));
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
