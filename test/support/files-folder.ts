import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Batch, Reject } from '../../src/connectors/batch.ts';
import type { Row } from '../../src/connectors/canonical.ts';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { ReadRequest, Stream } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { connector } from '../../src/connectors/files/connector.ts';
import { FilesConfig } from '../../src/connectors/files/manifest.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';

export interface Found {
  stream: Stream;
  names: string[];
  types: string[];
  rows: Row[];
  rejects: Reject[];
  batches: Batch[];
  position: string;
}

/** A folder of its own for files, and the connector `files` looking at it. */
export function filesFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'syncline-files-')));
  const roots = rootsOf({ folders: [root], dataDir: join(root, 'data') });
  const session = (config: Record<string, unknown>, networks = 'any', signal = new AbortController().signal): Promise<Session> =>
    connector.open(withDefaults(FilesConfig, config) as FilesConfig, { reach: reachOf(networks), roots, signal });
  /** A session that tells every file it opens, and what it would tell whoever looks at a run. */
  const watched = async (config: Record<string, unknown>): Promise<{ session: Session; opened: string[]; told: string[] }> => {
    const opened: string[] = [];
    const told: string[] = [];
    const watching = {
      ...roots,
      open: (path: string) => {
        opened.push(path);
        return roots.open(path);
      },
    };
    const context = {
      reach: reachOf('any'),
      roots: watching,
      signal: new AbortController().signal,
      tell: (_: string, message: string) => void told.push(message),
    };
    return { session: await connector.open(withDefaults(FilesConfig, config) as FilesConfig, context), opened, told };
  };
  return {
    root,
    session,
    watched,
    write(name: string, content: string | Uint8Array): void {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    },
    /** Discovers the first stream (or the one named) and reads all of it. */
    async read(config: Record<string, unknown>, request: Partial<ReadRequest> = {}): Promise<Found> {
      const one = await session(config);
      try {
        const streams = await one.discover();
        const stream = streams.find(({ name }) => name === request.stream) ?? streams[0];
        if (!stream) throw new Error('There is no stream.');
        const names = stream.fields.map((field) => field.name);
        const batches: Batch[] = [];
        for await (const batch of one.read({ stream: stream.name, fields: names, key: [], ...request })) batches.push(batch);
        return {
          stream,
          names,
          types: stream.fields.map((field) => field.type),
          rows: batches.flatMap((batch) => batch.rows),
          rejects: batches.flatMap((batch) => batch.rejects),
          batches,
          position: batches.at(-1)?.position ?? '',
        };
      } finally {
        await one.close();
      }
    },
    remove: () => rmSync(root, { recursive: true }),
  };
}
