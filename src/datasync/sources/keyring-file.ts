import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Keyring, newKeyText, parseKeyring } from '../../lib/secrets.ts';

/** The keys in the setting, else those in the data directory's file, which is made when it is missing. */
export function keyringOf(setting: string | undefined, dataDir: string): Keyring {
  if (setting !== undefined) return parseKeyring(setting);
  const file = join(dataDir, 'secret-key');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // Never over one that is there: what it has encrypted could not be read again.
    writeFileSync(file, `${newKeyText()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
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
