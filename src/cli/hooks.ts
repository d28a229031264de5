import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments, wholeNumber } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { findOne, HOOKS, SYNCS } from './service/find.ts';
import { listAll } from './service/pages.ts';
import { deleting, showing, updating } from './service/simple-actions.ts';
import { explain, pretty, show, showList } from './shown/output.ts';

const PATH = HOOKS.path;
const TEXT = { type: 'string' } as const;
const SHOWN = 60;

interface Hook {
  id: string;
  name: string;
  scheme: string;
  sync_id: string | null;
  calls: number;
  last_call_at: string | null;
  refused: number;
  refused_reason: string | null;
}

interface MadeHook extends Hook {
  secret: string | null;
  url: string | null;
}

interface Call {
  sequence: number;
  received_at: string;
  sender_id: string | null;
  body: string;
}

const ACTIONS: Actions = {
  create,
  list,
  show: showing(HOOKS),
  update: updating(HOOKS),
  calls,
  rotate,
  delete: deleting(HOOKS, ', with its calls'),
};

/** Makes and manages the addresses that other systems call. */
export async function hooks(args: string[], config: Config): Promise<number> {
  return runAction('hooks', ACTIONS, args, config);
}

async function create(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { name: TEXT, scheme: TEXT, secret: TEXT, header: TEXT, sync: TEXT, ...JSON_OPTION });
  const client = createClient(config);
  const { secret, header } = values;
  const body = {
    name: mandatory('name', values.name),
    scheme: mandatory('scheme', values.scheme),
    ...(secret !== undefined && { secret }),
    ...(header !== undefined && { header }),
    ...(values.sync !== undefined && { sync_id: (await findOne<Hook>(client, SYNCS, values.sync)).id }),
  };
  const { data } = await client.call<{ data: MadeHook }>('POST', PATH, body);
  if (values.json) show(pretty(data));
  else tellMade(data, `Created "${printable(data.name)}" (${data.id}).`);
  return 0;
}

/** The address goes to standard output, for a script to take. */
function tellMade({ url, secret }: MadeHook, before: string): void {
  if (url !== null) show(`${url}\n`);
  const once = 'It is not shown again.';
  const secretWords = secret === null || secret === '********' ? '' : ` The secret for the sender is ${secret}`;
  explain(`${before}${url === null ? '' : ` Give this address to the sender. ${once}`}${secretWords}`);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const client = createClient(config);
  const found = await listAll<Hook>(client, PATH);
  const syncs = found.some(({ sync_id }) => sync_id !== null) ? await listAll<{ id: string; name: string }>(client, SYNCS.path) : [];
  const names = new Map(syncs.map(({ id, name }) => [id, name]));
  const rows = found.map((hook) => [
    hook.id,
    hook.name,
    hook.scheme,
    hook.sync_id === null ? '' : (names.get(hook.sync_id) ?? hook.sync_id),
    String(hook.calls),
    hook.last_call_at ?? '',
    hook.refused === 0 ? '' : `${hook.refused}: ${hook.refused_reason ?? ''}`,
  ]);
  const headings = ['ID', 'NAME', 'SCHEME', 'STARTS', 'CALLS', 'LAST CALL', 'REFUSED'];
  const empty = 'There is no hook yet. `syncline hooks create --name orders --scheme token --sync <synchronization>` makes one.';
  showList({ json: values.json, found, headings, rows, empty });
  return 0;
}

async function calls(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { limit: TEXT, ...JSON_OPTION }, ['id or name of the hook']);
  const limit = values.limit === undefined ? 10 : wholeNumber('limit', values.limit, 1, 1000);
  const client = createClient(config);
  const { id } = await findOne<Hook>(client, HOOKS, positionals[0] ?? '');
  const { data } = await client.call<{ data: Call[] }>('GET', `${PATH}/${id}/calls?limit=${limit}`);
  const rows = data.map((call) => [String(call.sequence), call.received_at, call.sender_id ?? '', shorten(call.body)]);
  const headings = ['NUMBER', 'RECEIVED', 'ID OF THE SENDER', 'BODY'];
  const empty = 'It was not called yet. Calls that were refused are not kept: `syncline hooks list` tells how many there were, and why.';
  showList({ json: values.json, found: data, headings, rows, empty });
  return 0;
}

async function rotate(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { 'overlap-seconds': TEXT, secret: TEXT, ...JSON_OPTION }, [
    'id or name of the hook',
  ]);
  const overlap = values['overlap-seconds'];
  const client = createClient(config);
  const { id } = await findOne<Hook>(client, HOOKS, positionals[0] ?? '');
  const body = {
    ...(overlap !== undefined && { overlap_seconds: wholeNumber('overlap-seconds', overlap, 0, 30 * 86_400) }),
    ...(values.secret !== undefined && { secret: values.secret }),
  };
  const { data } = await client.call<{ data: MadeHook }>('POST', `${PATH}/${id}/rotate`, body);
  if (values.json) show(pretty(data));
  else tellMade(data, data.url === null ? `"${printable(data.name)}" has a new secret.` : `"${printable(data.name)}" has a new address.`);
  return 0;
}

function shorten(text: string): string {
  const plain = printable(text.replaceAll(/\s+/g, ' '));
  return plain.length > SHOWN ? `${plain.slice(0, SHOWN - 1)}…` : plain;
}
