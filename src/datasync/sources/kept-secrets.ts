import type { Database } from '../../db/database.ts';
import { notFound } from '../../lib/errors.ts';
import type { Keyring } from '../../lib/secrets.ts';
import { exchangeSecrets } from './commands.ts';
import { findSource } from './queries.ts';
import type { Secrets } from './secret-members.ts';

/** The secrets of sources, for connectors whose systems change them: a refresh token that is good once. */
export interface SourceSecrets {
  current(source: string, place: string): Promise<string>;
  /** Puts another in the place of `old`, unless a third is there by now. */
  replace(source: string, place: string, old: string, by: string): Promise<void>;
}

export function createSourceSecrets({ db, keyring }: { db: Database; keyring: Keyring }): SourceSecrets {
  const secretsOf = async (id: string): Promise<{ sealed: string | null; secrets: Secrets }> => {
    const row = await findSource(db.read, id);
    if (!row) throw notFound('source', id);
    return { sealed: row.secrets, secrets: row.secrets === null ? {} : (JSON.parse(keyring.decrypt(row.secrets, id)) as Secrets) };
  };
  return {
    current: async (id, place) => (await secretsOf(id)).secrets[place] ?? '',
    replace: async (id, place, old, by) => {
      // Another of its secrets may be replaced at the same moment; then we look again.
      for (;;) {
        const { sealed, secrets } = await secretsOf(id);
        if (sealed === null || secrets[place] !== old) return;
        const next = keyring.encrypt(JSON.stringify({ ...secrets, [place]: by }), id);
        if (await db.write(exchangeSecrets, { id, before: sealed, secrets: next })) return;
      }
    },
  };
}
