import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { adminKeyFile } from '../keys/admin-key.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { hashOf } from '../keys/format.ts';
import { findKeyByHash } from '../keys/queries.ts';
import { isoTime } from '../lib/clock.ts';
import { contentOf } from './shown/amounts.ts';
import { readArguments } from './arguments/arguments.ts';
import { isRefused, openBackup } from './backup/backup-file.ts';
import type { BackupHeader, TableCounts } from './backup/backup-format.ts';
import { CliError } from './errors.ts';
import { withBackupOfToday } from './backup/older-backup.ts';
import { withDatabase } from './own-database.ts';
import { refuseNewer, restoreTables } from './backup/restore-tables.ts';

/** Fills an empty database from a backup, whichever engine it was made on. */
export async function restore(args: string[], config: Config): Promise<number> {
  const { positionals } = readArguments(args, {}, ['file']);
  const path = resolve(positionals[0] ?? '');
  try {
    const header = await look(path);
    await withBackupOfToday(path, header, config.dataDir, (file) =>
      withDatabase(config, async (db) => {
        const counts = await db.write(restoreTables, { path: file, now: Date.now() });
        process.stdout.write(`Restored ${contentOf(counts)} from ${path}.\n${await aboutKeys(db, counts, config)}`);
      }),
    );
  } catch (error) {
    throw isRefused(error) ? new CliError(error.message) : error;
  }
  return 0;
}

/** A first look at the file, before a database is made for it. */
async function look(path: string): Promise<BackupHeader> {
  const backup = await openBackup(path);
  await backup.close();
  refuseNewer(path, backup.header);
  return backup.header;
}

async function aboutKeys(db: Database, counts: TableCounts, { dataDir }: Config): Promise<string> {
  const file = adminKeyFile(dataDir);
  if (!counts['keys']) return `The backup holds no keys: the next start makes an admin key and writes it into ${file}.\n`;
  const key = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const isValid = key !== '' && (await findKeyByHash(db.read, hashOf(key), isoTime(Date.now()))) !== undefined;
  if (isValid) return `The keys of the backup are valid again, and only they. The one in ${file} is among them.\n`;
  const stale = key === '' ? '' : `The one in ${file} is not among them. `;
  return (
    `The keys of the backup are valid again, and only they. ${stale}The backup does not hold the keys themselves: write the admin key of that time into ${file}.\n` +
    'If it is lost, start once with SYNCLINE_ADMIN_KEY set to 24 characters or more of your own, and make a new one with `syncline keys create`.\n'
  );
}
