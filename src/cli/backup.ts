import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { isoTime } from '../lib/clock.ts';
import { VERSION } from '../version.ts';
import { readArguments } from './arguments/arguments.ts';
import type { TableCounts } from './backup/backup-format.ts';
import { contentOf, fileSize } from './shown/amounts.ts';
import { CliError } from './errors.ts';
import { noteBackup } from './backup/note-backup.ts';
import { openSnapshot } from './backup/snapshot.ts';
import { writeBackup } from './backup/write-backup.ts';

/** Writes everything there is, as of one moment, into one file; the service may go on. */
export async function backup(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { force: { type: 'boolean' } }, ['file']);
  const path = resolve(positionals[0] ?? '');
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory()) throw new CliError(`${path} is a folder. Name a file in it.`);
  if (present && !values.force) throw new CliError(`${path} exists already. Name another file, or replace it with --force.`);
  await tellAudit(config, path);
  const snapshot = await openSnapshot(config);
  let counts: TableCounts;
  try {
    counts = await writeBackup(path, snapshot, { created_at: isoTime(Date.now()), app: VERSION });
  } finally {
    await snapshot.close();
  }
  process.stdout.write(
    `Wrote ${path} (${fileSize(statSync(path).size)}): ${contentOf(counts)}.\n` +
      "It holds the customers' data: keep it where only you can read it. Of the keys it holds only hashes: keep the admin key too.\n" +
      (counts['sources']
        ? 'The secrets of sources are in it encrypted: keep secret-key or SYNCLINE_SECRET_KEY apart from it, and do not lose it.\n'
        : ''),
  );
  return 0;
}

/** A user who may only read the database can make a backup as well: they could copy it by other means. But the log says so. */
async function tellAudit(config: Config, path: string): Promise<void> {
  // A first look, which says in words when there is nothing to be backed up, or nothing that this program knows.
  await (await openSnapshot(config)).close();
  try {
    await noteBackup(config, path);
  } catch (error) {
    process.stderr.write(`The audit trail does not tell of this backup: ${(error as Error).message}.\n`);
  }
}
