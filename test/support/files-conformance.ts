import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Batch } from '../../src/connectors/batch.ts';
import type { Row } from '../../src/connectors/canonical.ts';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { Harness, NewStream, System } from '../../src/connectors/conformance/harness.ts';
import { keyOf } from '../../src/connectors/conformance/kit.ts';
import type { Context } from '../../src/connectors/contract.ts';
import { connector } from '../../src/connectors/files/connector.ts';
import { FilesConfig } from '../../src/connectors/files/manifest.ts';
import { csvWriter } from '../../src/connectors/files/text/writers.ts';
import { toJsonText } from '../../src/connectors/json-values.ts';
import type { Connector } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';

/** Where the files of a suite lie, empty at first. */
export interface TriedPlace {
  readonly config: Record<string, unknown>;
  readonly context?: Pick<Context, 'roots'>;
  /** Puts text behind a file, as another program would. */
  append(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

// Files have no transactions, but what is written is collected with its position and a token: they are held to all of it.
const strict: Connector<FilesConfig> = {
  ...connector,
  manifest: { ...connector.manifest, abilities: { ...connector.manifest.abilities, transactional: true } },
};

/** A place of files and a format, held to the contract. */
export function filesHarness(
  start: () => Promise<TriedPlace>,
  format: 'csv' | 'jsonl' | 'parquet',
  patience = 300_000,
): Harness<FilesConfig> {
  const lacks: Harness['lacks'] =
    format === 'parquet'
      ? (type, value) => value.endsWith('infinity') || (type === 'decimal' && /NaN|Infinity/.test(value))
      : (type, value) => format === 'jsonl' && type === 'json' && value === 'null';
  return {
    connector: strict,
    start: async () => systemOf(await start(), format),
    lacks,
    patience,
    ...(format === 'parquet' && { overlaps: true }),
    cannot: {
      outOfOrder: 'rows of a file are in the order in which they were written',
      cut: 'there is no connection to a file, and one that is lost is made anew',
      breakCommit: 'tried in tests of their own, where the moments are known',
    },
  };
}

function systemOf(place: TriedPlace, format: string): System<FilesConfig> {
  const config = withDefaults(FilesConfig, { ...place.config, ...(format !== 'csv' && { format }) }) as FilesConfig;
  const context = place.context ?? { roots: rootsOf({ folders: [tmpdir()], dataDir: '/nowhere' }) };
  return {
    config,
    context,
    connections: async () => readdirSync('/proc/self/fd').length,
    close: () => place.close(),
    // A file is not changed in the middle: rows are put behind it, as a program that writes a log does. Parquet is replaced.
    change: async (stream, { put = [], remove = [] }) => {
      if (format === 'parquet') return replace(config, context, stream, put, remove);
      const { name, fields } = stream;
      const csv = csvWriter({ delimiter: 44, quote: 34, escape: 'double', lonelyReturns: false, header: true, nulls: [''] }, fields);
      const json = (row: readonly (string | null)[]): string =>
        `{${row.map((value, at) => `${JSON.stringify(fields[at]?.name)}:${toJsonText(fields[at]?.type ?? 'text', value)}`).join(',')}}\n`;
      return place.append(`${name}.${format}`, put.map(format === 'csv' ? csv.row : json).join(''));
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
