import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Logger } from '../../lib/log.ts';
import { type Keyring, keyIdOf, SecretError } from '../../lib/secrets.ts';
import { type ReleaseRow, resealRelease } from './rows.ts';

/** Encrypts anew, with the first key, the way to sources that are still to forget something: it may be needed for weeks. */
export async function renewReleases({ db, log, keyring }: { db: Database; log: Logger; keyring: Keyring }): Promise<void> {
  const rows = await db.read.all<Pick<ReleaseRow, 'id' | 'source_id' | 'source_name' | 'secrets'>>(
    sql`select id, source_id, source_name, secrets from log_releases where secrets is not null`,
  );
  for (const { id, source_id, source_name, secrets: before } of rows) {
    if (before === null || keyIdOf(before) === keyring.current) continue;
    try {
      await db.write(resealRelease, { id, before, secrets: keyring.encrypt(keyring.decrypt(before, source_id), source_id) });
      log.info({ source_id }, 'encrypted with the new key the way to a source that is still to forget its log');
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      log.warn(
        { source_id, source: source_name, reason: error.message },
        'the secrets of a source that is still to forget its log cannot be read; add the key to SYNCLINE_SECRET_KEY',
      );
    }
  }
}
