import type { Config } from '../config.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { pretty, show } from './shown/output.ts';
import { listAll } from './service/pages.ts';
import { table } from './shown/table.ts';

interface Node {
  id: string;
  host: string;
  pid: number;
  role: string;
  status: string;
  version: string;
  seen_at: string;
  max_runs: number;
  runs: unknown[];
  parts: unknown[];
  problems: string[];
}

/** Lists the nodes of the running service. */
export async function nodes(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Node>(createClient(config), '/api/v1/nodes');
  const rows = found.map((node) => [
    node.id,
    `${node.host}:${node.pid}`,
    node.role,
    node.status,
    node.version,
    node.seen_at,
    `${node.runs.length + node.parts.length} of ${node.max_runs}`,
    node.problems.join(' '),
  ]);
  show(values.json ? pretty(found) : table(['ID', 'HOST', 'ROLE', 'STATUS', 'VERSION', 'SEEN', 'RUNS', 'PROBLEMS'], rows));
  return 0;
}
