import { type Static, Type } from '../../lib/schema.ts';
import type { Manifest } from '../contract.ts';
import { DatabaseFile } from '../database-file.ts';
import { PLAIN_NAME } from '../naming.ts';

const DuckdbConfig = Type.Object(
  {
    ...DatabaseFile,
    memory_mb: Type.Integer({
      title: 'Memory',
      description: 'How many megabytes DuckDB may take for sorting and comparing.',
      default: 256,
      minimum: 64,
      maximum: 65_536,
    }),
  },
  { additionalProperties: false },
);
export type DuckdbConfig = Static<typeof DuckdbConfig>;

export const manifest: Manifest = {
  type: 'duckdb',
  category: 'database',
  keywords: ['SQL', 'analytics', 'OLAP', 'warehouse', 'embedded'],
  title: 'DuckDB',
  description: 'A database file of DuckDB on the machine that runs Syncline.',
  config: DuckdbConfig,
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
    notes:
      'One process at a time has a DuckDB file open for writing. A decimal has 38 digits at most; a new column of decimals without a known size has 10 of them behind the point.',
  },
  naming: { foldsCase: true, streams: PLAIN_NAME, fields: PLAIN_NAME },
};
