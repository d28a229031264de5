import type { Config } from '../config.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { findOne, RUNS, SYNCS } from './service/find.ts';
import { explain, pretty, show, showList } from './shown/output.ts';

const TEXT = { type: 'string' } as const;
const OWNER = 'synchronization, or the id of the run,';

interface Reject {
  id: string;
  stream: string;
  status: string;
  key: (string | null)[] | null;
  field: string | null;
  reason: string;
  updated_at: string;
}

const ACTIONS: Actions = { list, retry };

/** Shows the rows that could not be written, and has them tried again. */
export async function rejects(args: string[], config: Config): Promise<number> {
  return runAction('rejects', ACTIONS, args, config);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { stream: TEXT, status: TEXT, limit: TEXT, ...JSON_OPTION }, [OWNER]);
  const client = createClient(config);
  const { stream, status, limit, json } = values;
  const query = new URLSearchParams({ limit: String(limit === undefined ? 50 : wholeNumber('limit', limit, 1, 1000)) });
  if (stream !== undefined) query.set('stream', stream);
  if (status !== undefined) query.set('status', status);
  const { data, total } = await client.call<{ data: Reject[]; total: number }>(
    'GET',
    `${await ownerOf(client, positionals[0] ?? '')}/rejects?${query.toString()}`,
  );
  const rows = data.map((reject) => [
    reject.stream,
    reject.key?.map((part) => part ?? 'null').join(', ') ?? '',
    reject.field ?? '',
    reject.reason,
    reject.status,
    reject.updated_at,
  ]);
  const headings = ['STREAM', 'KEY', 'FIELD', 'WHY', 'STATUS', 'LAST TRIED'];
  showList({ json, found: data, headings, rows, empty: 'No row was rejected.' });
  if (!json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}

async function retry(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, [OWNER]);
  const client = createClient(config);
  const path = `${await ownerOf(client, positionals[0] ?? '')}/rejects/retry`;
  const { data } = await client.call<{ data: { id: string } }>('POST', path);
  show(values.json ? pretty(data) : `${data.id}\n`);
  if (!values.json) explain(`They are tried again. \`syncline runs show ${data.id}\` tells how far it is.`);
  return 0;
}

/** Where the rejects are: those of one run, or all of a synchronization. */
async function ownerOf(client: ServiceClient, given: string): Promise<string> {
  if (/^run_\w+$/.test(given)) return `${RUNS.path}/${given}`;
  return `/api/v1/datasync/sync/${(await findOne(client, SYNCS, given)).id}`;
}
