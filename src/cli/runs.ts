import type { Config } from '../config.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { findOne, RUNS, SYNCS } from './service/find.ts';
import { pathOf, showing } from './service/simple-actions.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show, showList } from './shown/output.ts';

const TEXT = { type: 'string' } as const;

interface Run {
  id: string;
  sync_id: string;
  status: string;
  mode: string;
  created_at: string;
  duration_ms: number | null;
  totals: { read: number; rejected: number };
  error: { message: string } | null;
}

const ACTIONS: Actions = {
  list,
  show: showing(RUNS),
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
    limit: TEXT,
    ...JSON_OPTION,
  });
  const client = createClient(config);
  const of = values.sync === undefined ? {} : { sync_id: (await findOne(client, SYNCS, values.sync)).id };
  return listRuns(client, `${RUNS.path}?`, { ...of, ...values, ended_from: values['ended-from'], ended_to: values['ended-to'] });
}

interface Wanted {
  sync_id?: string;
  status?: string;
  ended_from?: string | undefined;
  ended_to?: string | undefined;
  limit?: string;
  json?: boolean;
}

/** The newest runs first, as a table or as JSON. */
export async function listRuns(client: ServiceClient, path: string, { limit, json, ...filters }: Wanted): Promise<number> {
  const query = new URLSearchParams({ limit: String(limit === undefined ? 20 : wholeNumber('limit', limit, 1, 1000)) });
  for (const name of ['sync_id', 'status', 'ended_from', 'ended_to'] as const) {
    if (filters[name] !== undefined) query.set(name, filters[name]);
  }
  const { data, total } = await client.call<{ data: Run[]; total: number }>('GET', path + query.toString());
  const rows = data.map((run) => [
    run.id,
    run.sync_id,
    run.status,
    run.mode,
    run.created_at,
    run.duration_ms === null ? '' : `${(run.duration_ms / 1000).toFixed(1)} s`,
    amount(run.totals.read, 'row'),
    run.totals.rejected === 0 ? '' : String(run.totals.rejected),
    run.error?.message ?? '',
  ]);
  const headings = ['ID', 'SYNCHRONIZATION', 'STATUS', 'MODE', 'CREATED', 'TOOK', 'READ', 'REJECTED', 'WHY'];
  showList({ json, found: data, headings, rows, empty: 'There is no such run. `syncline run <synchronization>` starts one.' });
  if (!json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

async function act(action: string, done: string, args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id of the run']);
  const client = createClient(config);
  const { data } = await client.call<{ data: Run }>('POST', `${await pathOf(client, RUNS, positionals[0] ?? '')}/${action}`);
  if (values.json) show(pretty(data));
  else explain(`${done}: it is ${data.status} now. \`syncline runs show ${data.id}\` tells how far it is.`);
  return 0;
}
