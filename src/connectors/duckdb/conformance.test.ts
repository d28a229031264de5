import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootsOf } from '../../outside/roots.ts';
import { comparable } from '../canonical.ts';
import { conformance } from '../conformance.ts';
import { connector } from './connector.ts';
import type { DuckdbConfig } from './manifest.ts';

conformance<DuckdbConfig>('duckdb', {
  connector,
  lacks: (type, value) => type === 'decimal' && !/^[+-]?\d{1,28}(\.\d{1,10})?$/.test(comparable('decimal', value) ?? ''),
  limits: { columns: 500 },
  patience: 600_000,
  cannot: {
    outOfOrder: 'writers take turns, so transactions are committed in the order in which they wrote',
    cut: 'a file has no connection that could be cut',
    breakCommit: 'a file has no connection that could be cut',
  },
  start: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'syncline-duckdb-'));
    const path = join(folder, 'conformance.duckdb');
    return {
      config: { path, create: true, memory_mb: 512 },
      context: { roots: rootsOf({ folders: [folder], dataDir: '/nowhere' }) },
      connections: async () => openFiles().filter((file) => file.startsWith(path)).length,
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
