import { type Static, Type } from '../../lib/schema.ts';
import type { Manifest } from '../contract.ts';
import { DatabaseFile } from '../database-file.ts';
import { PLAIN_NAME } from '../naming.ts';

const SqliteConfig = Type.Object(
  {
    ...DatabaseFile,
    busy_timeout_ms: Type.Integer({
      title: 'Patience with locks',
      description: 'How long to wait, in milliseconds, while another program has the file locked.',
      default: 5000,
      minimum: 0,
      maximum: 60_000,
    }),
  },
  { additionalProperties: false },
);
export type SqliteConfig = Static<typeof SqliteConfig>;

/** In which structures are told. */
export const LANGUAGE = 'sqlite';

export const manifest: Manifest = {
  type: 'sqlite',
  category: 'database',
  keywords: ['SQL', 'embedded', 'db', 'sqlite3'],
  title: 'SQLite',
  description: 'A database file of SQLite 3 on the machine that runs Syncline.',
  config: SqliteConfig,
  // A view may join tables for years.
  endsOnlyByKill: true,
  abilities: {
    read: true,
    write: ['append', 'upsert', 'mirror'],
    incremental: true,
    resumable: true,
    transactional: true,
    checkpoints: true,
    createsStreams: true,
    deletes: true,
    filters: true,
    keepsTables: true,
    applies: true,
    undo: true,
    differences: true,
    structure: LANGUAGE,
    notes: 'A value that does not fit the type of its column is rejected. NaN has no place in SQLite.',
  },
  naming: {
    foldsCase: true,
    streams: [{ pattern: '^(?i:sqlite_)', example: 'SQLite_x', why: 'names that begin with sqlite_ belong to SQLite' }, ...PLAIN_NAME],
    fields: PLAIN_NAME,
  },
};
