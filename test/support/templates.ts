import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import { openDispatcher } from '../../src/jobs/open.ts';
import { createLog } from '../../src/lib/log.ts';

/** Databases that have our tables and nothing else, to be copied: making them anew for every suite takes twice as long. */
export interface Templates {
  /** Tells the test files where they are; `preparedPlace` reads it. */
  environment: Record<'TEST_TEMPLATE_FILE' | 'TEST_TEMPLATE_DATABASE', string>;
  remove(): Promise<void>;
}

export async function makeTemplates(serverUrl: string): Promise<Templates> {
  const dataDir = mkdtempSync(join(tmpdir(), 'syncline-template-'));
  const name = `template_${process.pid}_${Date.now().toString(36)}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  for (const databaseUrl of [undefined, Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href]) {
    const log = createLog('silent');
    const db = await openDatabase({ dataDir, databaseUrl, poolSize: 2 }, log);
    // It has tables of its own on PostgreSQL.
    await (await openDispatcher(db, log)).close();
    await db.close();
  }
  // A database that is in use cannot be copied.
  await admin.query(`alter database ${name} allow_connections false`);
  return {
    environment: { TEST_TEMPLATE_FILE: sqliteFile(dataDir), TEST_TEMPLATE_DATABASE: name },
    remove: async () => {
      rmSync(dataDir, { recursive: true });
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
