import type { Config } from '../config.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { findOne, RUNS, SYNCS } from './service/find.ts';
import { listAll } from './service/pages.ts';
import { pathOf } from './service/simple-actions.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { table } from './shown/table.ts';

const TEXT = { type: 'string' } as const;

interface Run {
  id: string;
  sync_id: string;
  status: string;
  mode: string;
  created_at: string;
  duration_ms: number | null;
  totals: Counts;
  streams: (Counts & { name: string; target: string; status: string; error: { message: string } | null })[];
  error: { message: string; hint: string | null } | null;
}

interface Counts {
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  rejected: number;
}

const ACTIONS: Actions = {
  list,
  show: showOne,
  cancel: (...given) => act('cancel', 'It is to end', ...given),
  approve: (...given) => act('approve', 'It goes on', ...given),
};

/** Shows, ends and approves runs of the running service. */
export async function runs(args: string[], config: Config): Promise<number> {
  return runAction('runs', ACTIONS, args, config);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, {
    sync: TEXT,
    status: TEXT,
    'ended-from': TEXT,
    'ended-to': TEXT,
    writing: { type: 'boolean' },
    limit: TEXT,
    ...JSON_OPTION,
  });
  const client = createClient(config);
  const of = values.sync === undefined ? {} : { sync_id: (await findOne(client, SYNCS, values.sync)).id };
  const { 'ended-from': ended_from, 'ended-to': ended_to, writing, ...rest } = values;
  return listRuns(client, `${RUNS.path}?`, { ...of, ...rest, ended_from, ended_to, ...(writing && { writing: 'true' }) });
}

interface Wanted {
  sync_id?: string;
  status?: string;
  ended_from?: string | undefined;
  ended_to?: string | undefined;
  /** `true` leaves out previews and verifies. */
  writing?: string;
  limit?: string;
  json?: boolean;
}

/** The newest runs first, as a table or as JSON. */
export async function listRuns(client: ServiceClient, path: string, { limit, json, ...filters }: Wanted): Promise<number> {
  const query = new URLSearchParams({ limit: String(limit === undefined ? 20 : wholeNumber('limit', limit, 1, 1000)) });
  for (const name of ['sync_id', 'status', 'ended_from', 'ended_to', 'writing'] as const) {
    if (filters[name] !== undefined) query.set(name, filters[name]);
  }
  const { data, total } = await client.call<{ data: Run[]; total: number }>('GET', path + query.toString());
  const names = json || data.length === 0 ? new Map<string, string>() : await namesOfSyncs(client);
  const rows = data.map((run) => [
    run.id,
    names.get(run.sync_id) ?? run.sync_id,
    run.status,
    run.mode,
    run.created_at,
    durationText(run),
    amount(run.totals.read, 'row'),
    run.totals.rejected === 0 ? '' : String(run.totals.rejected),
    run.error?.message ?? '',
  ]);
  const headings = ['ID', 'SYNCHRONIZATION', 'STATUS', 'MODE', 'CREATED', 'TOOK', 'READ', 'REJECTED', 'WHY'];
  showList({ json, found: data, headings, rows, empty: 'There is no such run. `syncline run <synchronization>` starts one.' });
  if (!json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

/** What a run did, table by table, and why it ended as it did. */
async function showOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id of the run']);
  const client = createClient(config);
  const { data: run } = await client.call<{ data: Run }>('GET', await pathOf(client, RUNS, positionals[0] ?? ''));
  if (values.json) {
    show(pretty(run));
    return 0;
  }
  const why = [run.error?.message, run.error?.hint].filter((text) => text != null).join(' ');
  show(
    table(
      ['RUN', run.id],
      [
        ['SYNCHRONIZATION', (await namesOfSyncs(client)).get(run.sync_id) ?? run.sync_id],
        ['STATUS', run.status],
        ['MODE', run.mode],
        ['CREATED', run.created_at],
        ['TOOK', durationText(run) || 'it has not ended'],
        ...(why === '' ? [] : [['WHY', why]]),
      ],
    ),
  );
  show('\n');
  const rows = run.streams.map((stream) => [stream.name, stream.target, stream.status, ...countTexts(stream), stream.error?.message ?? '']);
  show(table(['STREAM', 'TARGET', 'STATUS', 'READ', 'INSERTED', 'UPDATED', 'DELETED', 'REJECTED', 'WHY'], rows));
  return 0;
}

function countTexts({ read, inserted, updated, deleted, rejected }: Counts): string[] {
  return [read, inserted, updated, deleted, rejected].map((count) => count.toLocaleString('en'));
}

function durationText({ duration_ms }: Run): string {
  return duration_ms === null ? '' : `${(duration_ms / 1000).toFixed(1)} s`;
}

async function namesOfSyncs(client: ServiceClient): Promise<Map<string, string>> {
  const syncs = await listAll<{ id: string; name: string }>(client, SYNCS.path);
  return new Map(syncs.map(({ id, name }) => [id, name]));
}

async function act(action: string, done: string, args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id of the run']);
  const client = createClient(config);
  const { data } = await client.call<{ data: Run }>('POST', `${await pathOf(client, RUNS, positionals[0] ?? '')}/${action}`);
  if (values.json) show(pretty(data));
  else explain(`${done}: it is ${data.status} now. \`syncline runs show ${data.id}\` tells how far it is.`);
  return 0;
}
