import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Keyring, newKeyText, parseKeyring } from '../../lib/secrets.ts';
import { syncFolder } from '../../lib/sync-folder.ts';

/** The keys in the setting, else those in the data directory's file, which is made when it is missing. */
export function keyringOf(setting: string | undefined, dataDir: string): Keyring {
  if (setting !== undefined) return parseKeyring(setting);
  const file = join(dataDir, 'secret-key');
  try {
    if (!existsSync(file)) makeKey(dataDir, file);
  } catch (error) {
    throw new Error(
      `The key for secrets cannot be kept in ${file}: ${(error as Error).message}. Make it writable, or set SYNCLINE_SECRET_KEY.`,
      { cause: error },
    );
  }
  try {
    return parseKeyring(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The file ${file} ${(error as Error).message}. Restore it from where it is kept, or set SYNCLINE_SECRET_KEY.`, {
      cause: error,
    });
  }
}

/** The whole key appears under its name, or nothing does: another node may read it in the same moment, or this one be killed. */
function makeKey(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${newKeyText()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Never over one that is there: what it has encrypted could not be read again.
    try {
      linkSync(draft, file);
    } catch (error) {
      // Not every file system has links.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') copyFileSync(draft, file, constants.COPYFILE_EXCL);
    }
    syncFolder(dataDir);
  } finally {
    rmSync(draft, { force: true });
  }
}
