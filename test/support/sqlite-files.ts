import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkerOf } from '../../src/lib/check.ts';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { Session } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { connector } from '../../src/connectors/sqlite/connector.ts';
import { type SqliteConfig, manifest } from '../../src/connectors/sqlite/manifest.ts';

/** Where the databases of this process are, until it ends. */
export const folder = mkdtempSync(join(tmpdir(), 'syncline-sqlite-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
let count = 0;

/** A database file in which this was run. */
export function database(sql: string, path = join(folder, `${++count}.db`)): string {
  const made = new DatabaseSync(path);
  made.exec(sql);
  made.close();
  return path;
}

/** A session of the connector, as the service would open it. */
export async function open(path: string, options: Partial<SqliteConfig> = {}): Promise<Session> {
  const config = withDefaults(manifest.config, { path, ...options }) as SqliteConfig;
  const faults = checkerOf(manifest.config).explain(config);
  if (faults[0]) throw new Error(`${faults[0].field} ${faults[0].reason}`);
  return connector.open(config, {
    reach: reachOf('any'),
    roots: rootsOf({ folders: [folder], dataDir: join(folder, 'own') }),
    signal: new AbortController().signal,
  });
}
