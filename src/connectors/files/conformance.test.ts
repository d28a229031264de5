import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import { withDefaults } from '../config-values.ts';
import { conformance } from '../conformance.ts';
import type { Harness, NewStream, System } from '../conformance/harness.ts';
import { keyOf } from '../conformance/kit.ts';
import type { Context } from '../contract.ts';
import type { Connector } from '../session.ts';
import { toJsonText } from '../json-values.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { connector } from './connector.ts';
import { FilesConfig } from './manifest.ts';
import { csvWriter } from './text/writers.ts';

// Files have no transactions, but what is written is collected with its position and a token: they are held to all of it.
const strict: Connector<FilesConfig> = {
  ...connector,
  manifest: { ...connector.manifest, abilities: { ...connector.manifest.abilities, transactional: true } },
};

function harness(config: Record<string, unknown>, differences: Partial<Harness<FilesConfig>>): Harness<FilesConfig> {
  return {
    connector: strict,
    start: () => start(config),
    ...differences,
    cannot: {
      outOfOrder: 'rows of a file are in the order in which they were written',
      cut: 'there is no connection to a file',
      breakCommit: 'tried in write.test.ts, where the moments are known',
    },
  };
}

async function start(given: Record<string, unknown>): Promise<System<FilesConfig>> {
  const root = await mkdtemp(join(tmpdir(), 'syncline-files-'));
  const config = withDefaults(FilesConfig, { path: root, ...given }) as FilesConfig;
  const ending = config.format === 'auto' ? 'csv' : config.format;
  const context = { roots: rootsOf({ folders: [root], dataDir: join(root, 'none') }) };
  return {
    config,
    context,
    connections: async () => readdirSync('/proc/self/fd').length,
    close: () => rm(root, { recursive: true }),
    // A file is not changed in the middle: rows are put behind it, as a program that writes a log does. Parquet is replaced.
    change: async (stream, { put = [], remove = [] }) => {
      if (config.format === 'parquet') return replace(config, context, stream, put, remove);
      const { name, fields } = stream;
      const csv = csvWriter({ delimiter: 44, quote: 34, escape: 'double', lonelyReturns: false, header: true, nulls: [''] }, fields);
      const json = (row: readonly (string | null)[]): string =>
        `{${row.map((value, at) => `${JSON.stringify(fields[at]?.name)}:${toJsonText(fields[at]?.type ?? 'text', value)}`).join(',')}}\n`;
      return appendFile(join(root, `${name}.${ending}`), put.map(ending === 'csv' ? csv.row : json).join(''));
    },
  };
}

async function replace(
  config: FilesConfig,
  context: Pick<Context, 'roots'>,
  stream: NewStream,
  put: readonly Row[],
  remove: readonly Row[],
): Promise<void> {
  const session = await connector.open(config, { ...context, reach: reachOf('any'), signal: new AbortController().signal });
  const id = (row: Row): string => JSON.stringify(keyOf(stream, row));
  const rows = new Map(stream.rows.map((row) => [id(row), row]));
  for (const key of remove) rows.delete(JSON.stringify(key));
  for (const row of put) rows.set(id(row), row);
  const writer = await session.write({
    stream: stream.name,
    fields: stream.fields,
    key: stream.key,
    mode: 'mirror',
    owner: 'another',
    token: 1n,
    create: true,
  });
  await writer.write(Batch.ofRows([...rows.values()], { position: '' }));
  await writer.finish();
  await writer.close();
  await session.close();
}

conformance('files (CSV)', harness({}, {}));
conformance('files (JSON Lines)', harness({ format: 'jsonl' }, { lacks: (type, value) => type === 'json' && value === 'null' }));
conformance(
  'files (Parquet)',
  harness(
    { format: 'parquet' },
    { overlaps: true, lacks: (type, value) => value.endsWith('infinity') || (type === 'decimal' && /NaN|Infinity/.test(value)) },
  ),
);
