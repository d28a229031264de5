import { tmpdir } from 'node:os';
import { withDefaults } from '../../src/connectors/config-values.ts';
import { connector } from '../../src/connectors/files/connector.ts';
import { FilesConfig } from '../../src/connectors/files/manifest.ts';
import type { Session } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';

/** A session with files, wherever they lie. */
export function openFiles(config: Record<string, unknown>, networks = 'any'): Promise<Session> {
  return connector.open(withDefaults(FilesConfig, config) as FilesConfig, {
    reach: reachOf(networks),
    roots: rootsOf({ folders: [tmpdir()], dataDir: '/nowhere' }),
    signal: new AbortController().signal,
  });
}
