import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments, wholeNumber } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { explain, pretty, show } from './shown/output.ts';
import { KEYS } from './service/find.ts';
import { listAll } from './service/pages.ts';
import { showing } from './service/simple-actions.ts';
import { table } from './shown/table.ts';

const PATH = '/api/v1/keys';
const DAY = 24 * 60 * 60;

interface Key {
  id: string;
  name: string;
  scopes: string[];
  status: string;
  rate_limit: number | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

type ShownKey = Key & { key: string };

const ACTIONS: Actions = { create, list, show: showing(KEYS), rotate, revoke };

/** Makes, lists, rotates and revokes the keys of the running service. */
export async function keys(args: string[], config: Config): Promise<number> {
  return runAction('keys', ACTIONS, args, config);
}

async function create(args: string[], config: Config): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = readArguments(args, { name: text, scopes: text, 'expires-at': text, 'rate-limit': text, ...JSON_OPTION });
  const rateLimit = values['rate-limit'];
  const body = {
    name: mandatory('name', values.name),
    scopes: mandatory('scopes', values.scopes)
      .split(',')
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ''),
    ...(values['expires-at'] !== undefined && { expires_at: values['expires-at'] }),
    ...(rateLimit !== undefined && { rate_limit: wholeNumber('rate-limit', rateLimit, 0, 1_000_000) }),
  };
  const { data } = await createClient(config).call<{ data: ShownKey }>('POST', PATH, body);
  showKey(data, values.json);
  explain(
    `Made the key "${printable(data.name)}" (${data.id}) with ${data.scopes.join(', ')}${data.expires_at ? `, until ${data.expires_at}` : ''}. ` +
      'It is shown this once.',
  );
  return 0;
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Key>(createClient(config), PATH);
  const rows = found.map((key) => [
    key.id,
    key.name,
    key.status,
    key.scopes.join(','),
    minute(key.created_at),
    key.expires_at === null ? 'never' : minute(key.expires_at),
    key.last_used_at === null ? 'never' : minute(key.last_used_at),
    key.rate_limit === null ? 'default' : key.rate_limit === 0 ? 'none' : `${key.rate_limit}/s`,
  ]);
  show(values.json ? pretty(found) : table(['ID', 'NAME', 'STATUS', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED', 'RATE LIMIT'], rows));
  return 0;
}

async function rotate(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { 'overlap-seconds': { type: 'string' }, ...JSON_OPTION }, ['id of the key']);
  const given = values['overlap-seconds'];
  const overlap = given === undefined ? DAY : wholeNumber('overlap-seconds', given, 0, 30 * DAY);
  const client = createClient(config);
  const { data } = await client.call<{ data: ShownKey }>('POST', `${pathOf(positionals)}/rotate`, { overlap_seconds: overlap });
  showKey(data, values.json);
  const previous = overlap === 0 ? 'The previous secret no longer works.' : `The previous secret works for ${span(overlap)} more.`;
  explain(`Gave "${printable(data.name)}" (${data.id}) a new secret, shown this once. ${previous}`);
  if (isOwn(data, client)) explain(`It is the key in ${client.key.from}, which still holds the previous secret: put the new one there.`);
  return 0;
}

async function revoke(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id of the key']);
  const client = createClient(config);
  const { data } = await client.call<{ data: Key }>('DELETE', pathOf(positionals));
  show(values.json ? pretty(data) : `Revoked "${printable(data.name)}" (${data.id}).\n`);
  if (isOwn(data, client)) explain(`It was the key in ${client.key.from}: for the next command, put another admin key there.`);
  return 0;
}

function pathOf([id = '']: string[]): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

/** The key alone on standard output, so that `KEY=$(syncline keys create …)` holds just that. */
function showKey(data: ShownKey, json: boolean | undefined): void {
  show(json ? pretty(data) : `${data.key}\n`);
}

/** Whether this is the key that the command line itself calls with. */
function isOwn({ id }: Key, client: ServiceClient): boolean {
  return client.key.key.startsWith(`slk_${id.slice('key_'.length)}_`);
}

function minute(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}Z`;
}

function span(seconds: number): string {
  const [size, unit] = seconds % 3600 === 0 ? [3600, 'hour'] : seconds % 60 === 0 ? [60, 'minute'] : [1, 'second'];
  return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`;
}
