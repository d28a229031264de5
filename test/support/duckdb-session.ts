import { withDefaults } from '../../src/connectors/config-values.ts';
import { connector } from '../../src/connectors/duckdb/connector.ts';
import { manifest } from '../../src/connectors/duckdb/manifest.ts';
import type { Session } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';

/** A session with a DuckDB file in a folder. */
export function openDuckdb(config: { path: string }, folder: string): Promise<Session> {
  return connector.open(withDefaults(manifest.config, config) as never, {
    reach: reachOf('any'),
    roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }),
    signal: new AbortController().signal,
  });
}
