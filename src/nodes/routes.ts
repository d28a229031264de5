import type { Database } from '../db/database.ts';
import { pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { ListOf, Named, OneOf, PAGING, Strict, Time } from '../http/schemas.ts';
import type { Clock } from '../lib/clock.ts';
import { isId } from '../lib/ids.ts';
import { type Static, Type } from '../lib/schema.ts';
import { marksOf } from './presence.ts';
import { problemsOf } from './problems.ts';
import { listNodes, type NodeRow, type PartOfNode, partsOfNodes, type RunOfNode, runsOfNodes } from './queries.ts';
import { ROLES } from './role.ts';
import type { Marks } from './shared-keys.ts';

const Node = Named('Node', {
  id: Type.String({ examples: ['nod_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  host: Type.String({ description: 'The name of its machine or container.' }),
  pid: Type.Integer({ description: 'The id of its process there.' }),
  role: OneOf(ROLES, { description: '`api` answers requests, `worker` runs synchronizations, `all` does both.' }),
  status: OneOf(['alive', 'lost'], { description: '`lost`: not seen for 15 seconds. It is forgotten after an hour.' }),
  version: Type.String({ description: 'The version of its program.', examples: ['0.1.0'] }),
  schema_version: Type.Integer({ description: 'The schema of the database that its program knows.' }),
  started_at: Time(),
  seen_at: Time('When it last said that it is alive: every five seconds.'),
  clock_ahead_ms: Type.Integer({ description: "How far its clock is ahead of the database's; negative when it is behind." }),
  max_runs: Type.Integer({ description: 'How many synchronizations it runs at the same time, at most.' }),
  runs: Type.Array(Strict({ id: Type.String(), sync_id: Type.String(), started_at: Time() }), { description: 'What it runs now.' }),
  parts: Type.Array(
    Strict({
      run_id: Type.String(),
      stream: Type.String({ description: 'The name of the stream at the target.' }),
      part: Type.Integer(),
    }),
    { description: 'Parts of large runs of other nodes that it helps with.' },
  ),
  problems: Type.Array(Type.String(), { description: 'What is wrong with it, in words.' }),
});

const EXAMPLE_NODE: Static<typeof Node> = {
  id: 'nod_01kfa0v2m3f8rb4v3k7m2t9xqe',
  host: 'worker-1',
  pid: 1,
  role: 'worker',
  status: 'alive',
  version: '0.1.0',
  schema_version: 5,
  started_at: '2026-11-01T09:30:00.000Z',
  seen_at: '2026-11-01T10:12:04.120Z',
  clock_ahead_ms: 3,
  max_runs: 4,
  runs: [{ id: 'run_01kfa2a4c8e5n9v6k3m7t1xqwz', sync_id: 'syn_01kfa1r3p7f0rb5v2k8m4t9xqe', started_at: '2026-11-01T10:12:00.000Z' }],
  parts: [],
  problems: [],
};

export interface NodeRoutesOptions {
  db: Database;
  clock: Clock;
  /** The node that answers. */
  self: Marks & { id: string };
  /** What it has noticed of itself, in words. */
  problem: () => string | undefined;
}

export function nodeRoutes({ db, clock, self, problem }: NodeRoutesOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/nodes',
      scope: 'admin',
      tag: 'Nodes',
      summary: 'List the nodes that share the database, newest first',
      description: 'Every process that serves or runs synchronizations: its role, its version, when it was last seen, and what it runs.',
      query: Strict(PAGING),
      answer: ListOf(Node),
      examples: { answer: { success: true, data: [EXAMPLE_NODE], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('nod', key));
        const { rows, total } = await listNodes(db.read, clock(), self.id, page);
        const ids = rows.map(({ id }) => id);
        const [runs, parts] = await Promise.all([runsOfNodes(db.read, ids), partsOfNodes(db.read, ids)]);
        const nodes = rows.map((row) => shown(row, { runs: runs.get(row.id) ?? [], parts: parts.get(row.id) ?? [] }, self));
        const own = problem();
        if (own !== undefined) for (const node of nodes) if (node.id === self.id) node.problems.push(own);
        return pageAnswer(nodes, total, page);
      },
    }),
  ];
}

interface WorkOfNode {
  runs: RunOfNode[];
  parts: PartOfNode[];
}

function shown({ alive, secret_marks, admin_marks, ...row }: NodeRow, work: WorkOfNode, self: Marks): Static<typeof Node> {
  const isAlive = alive === 1;
  const observed = { isAlive, clockAheadMs: row.clock_ahead_ms, ...marksOf({ secret_marks, admin_marks }) };
  return { ...row, status: isAlive ? 'alive' : 'lost', ...work, problems: problemsOf(observed, self) };
}
