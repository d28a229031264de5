import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments, wholeNumber } from './arguments/arguments.ts';
import { UsageError } from './errors.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { findOne, WEBHOOKS } from './service/find.ts';
import { listAll } from './service/pages.ts';
import { updating } from './service/simple-actions.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { quoted } from './shown/quoted.ts';

const PATH = '/api/v1/webhooks';
const DAY = 24 * 60 * 60;
const UNITS = [
  ['day', DAY],
  ['hour', 3600],
  ['minute', 60],
] as const;
const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const ENDPOINT = ['id or name of the endpoint'];

interface Webhook {
  id: string;
  name: string;
  url: string;
  types: string[];
  status: string;
  status_reason: string | null;
  waiting: number;
  failed: number;
  failing_since: string | null;
  next_attempt_at: string | null;
  last_delivered_at: string | null;
  public_key: string | null;
}

/** `secret` is null where receivers verify with the public key. */
type NewSecret = Webhook & { secret: string | null };

interface Delivery {
  sequence: number;
  message_id: string;
  type: string;
  object_id: string;
  status: string;
  attempts: number;
  updated_at: string;
  next_at: string | null;
  response_status: number | null;
  duration_ms: number | null;
  error: string | null;
}

const ACTIONS: Actions = {
  add,
  list,
  show: showOne,
  update: updating(WEBHOOKS),
  test,
  deliveries,
  replay,
  pause,
  resume,
  rotate,
  delete: remove,
};

/** Adds and looks after the endpoints that the running service sends its events to. */
export async function webhooks(args: string[], config: Config): Promise<number> {
  return runAction('webhooks', ACTIONS, args, config);
}

async function add(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, {
    name: TEXT,
    url: TEXT,
    types: TEXT,
    condition: TEXT,
    thin: { type: 'boolean' },
    ed25519: { type: 'boolean' },
    header: TEXTS,
    'max-in-flight': TEXT,
    rate: TEXT,
    from: TEXT,
    ...JSON_OPTION,
  });
  const body = {
    name: mandatory('name', values.name),
    url: mandatory('url', values.url),
    ...(values.types !== undefined && { types: listOf(values.types) }),
    ...(values.condition !== undefined && { condition: values.condition }),
    ...(values.thin && { payload: 'thin' }),
    ...(values.ed25519 && { signature: 'ed25519' }),
    ...(values.header && { headers: headersOf(values.header) }),
    ...(values['max-in-flight'] !== undefined && { max_in_flight: wholeNumber('max-in-flight', values['max-in-flight'], 1, 64) }),
    ...(values.rate !== undefined && { rate: wholeNumber('rate', values.rate, 1, 10_000) }),
    ...(values.from !== undefined && { from: placeOf(values.from) }),
  };
  const { data } = await createClient(config).call<{ data: NewSecret }>('POST', PATH, body);
  // What the receiver needs alone on standard output, so that `SECRET=$(syncline webhooks add …)` holds just that.
  show(values.json ? pretty(data) : `${data.public_key ?? data.secret}\n`);
  const shown = data.public_key === null ? 'Its signing secret is shown this once.' : 'Receivers verify with its public key.';
  explain(`Added "${printable(data.name)}" (${data.id}). ${shown}`);
  return 0;
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Webhook>(createClient(config), PATH);
  const rows = found.map((one) => [
    one.id,
    one.name,
    isFailing(one) ? 'failing' : one.status,
    one.types.join(','),
    String(one.waiting),
    String(one.failed),
    one.last_delivered_at ?? 'never',
    one.url,
  ]);
  const headings = ['ID', 'NAME', 'STATUS', 'TYPES', 'WAITING', 'FAILED', 'LAST DELIVERED', 'URL'];
  const empty =
    "There is no endpoint yet. `syncline webhooks add --name ERP --url https://erp.example/syncline --types 'order.*'` adds one.";
  showList({ json: values.json, found, headings, rows, empty });
  if (!values.json) found.forEach(tellTrouble);
  return 0;
}

async function showOne(args: string[], config: Config): Promise<number> {
  const { positionals } = readArguments(args, JSON_OPTION, ENDPOINT);
  const one = await found(createClient(config), positionals);
  show(pretty(one));
  tellTrouble(one);
  return 0;
}

/** Whether it takes nothing at this moment, and is tried again by itself. */
function isFailing({ status, failing_since }: Webhook): boolean {
  return status === 'active' && failing_since !== null;
}

/** Why nothing reaches it, if nothing does. */
function tellTrouble(one: Webhook): void {
  const { name, status_reason, failing_since, next_attempt_at } = one;
  const next = next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now() ? `at ${next_attempt_at}` : 'now';
  const failing = isFailing(one) ? `It takes nothing since ${failing_since}; the next attempt is due ${next}.` : null;
  const trouble = status_reason ?? failing;
  if (trouble !== null) explain(`"${printable(name)}": ${printable(trouble)}`);
}

async function test(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ENDPOINT);
  const client = createClient(config);
  const { id } = await found(client, positionals);
  const { data } = await client.call<{
    data: { delivered: boolean; status: number | null; duration_ms: number; error: string | null; response: string | null };
  }>('POST', `${PATH}/${id}/test`);
  if (values.json) show(pretty(data));
  else {
    const answer = data.response === null ? '' : ` It said: ${printable(data.response)}`;
    explain(
      `${data.delivered ? `Delivered: ${data.status}` : `Not delivered: ${printable(data.error ?? '')}`} (${data.duration_ms} ms).${answer}`,
    );
  }
  return data.delivered ? 0 : 1;
}

async function deliveries(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { status: TEXT, type: TEXT, object: TEXT, limit: TEXT, ...JSON_OPTION }, ENDPOINT);
  const client = createClient(config);
  const { id, name, status } = await found(client, positionals);
  const query = new URLSearchParams({ limit: String(values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000)) });
  if (values.status !== undefined) query.set('status', values.status);
  if (values.type !== undefined) query.set('type', values.type);
  if (values.object !== undefined) query.set('object_id', values.object);
  const { data } = await client.call<{ data: Delivery[] }>('GET', `${PATH}/${id}/deliveries?${query.toString()}`);
  const rows = data.map((one) => [
    String(one.sequence),
    one.message_id,
    one.type,
    one.object_id,
    one.status,
    String(one.attempts),
    one.updated_at,
    // Of one that is not active no time comes.
    one.next_at !== null && status !== 'active' ? 'when resumed' : (one.next_at ?? ''),
    one.error ?? String(one.response_status ?? ''),
  ]);
  const headings = ['SEQUENCE', 'MESSAGE', 'TYPE', 'OBJECT', 'STATUS', 'ATTEMPTS', 'LAST', 'NEXT', 'ANSWER'];
  const isFiltered = [values.status, values.type, values.object].some((one) => one !== undefined);
  const empty = isFiltered
    ? 'No delivery matches. Without --status, --type and --object all are shown; types and ids must be complete.'
    : `Nothing has been sent to it yet. \`syncline webhooks test ${quoted(name)}\` tries whether it can be reached.`;
  showList({ json: values.json, found: data, headings, rows, empty });
  return 0;
}

async function replay(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    { message: TEXT, from: TEXT, to: TEXT, failed: { type: 'boolean' }, ...JSON_OPTION },
    ENDPOINT,
  );
  const wish = {
    ...(values.message !== undefined && { message_id: values.message }),
    ...(values.from !== undefined && { from: values.from }),
    ...(values.to !== undefined && { to: values.to }),
    ...(values.failed && { failed: true }),
  };
  if (Object.keys(wish).length === 0) throw new UsageError('Say what to send again: --message, --from with --to, or --failed.');
  const client = createClient(config);
  const { id, status } = await found(client, positionals);
  const { data } = await client.call<{ data: { queued: number } }>('POST', `${PATH}/${id}/replay`, wish);
  show(values.json ? pretty(data) : `${data.queued} to be sent again${status === 'active' ? '' : ', when it is resumed'}.\n`);
  return 0;
}

async function pause(args: string[], config: Config): Promise<number> {
  return change(
    args,
    config,
    'POST',
    '/pause',
    ({ waiting }) => `Paused. ${waiting} wait; what happens meanwhile follows when it is resumed.`,
  );
}

async function resume(args: string[], config: Config): Promise<number> {
  return change(args, config, 'POST', '/resume', ({ waiting }) => `Resumed. ${waiting} wait, and follow in order.`);
}

async function remove(args: string[], config: Config): Promise<number> {
  return change(args, config, 'DELETE', '', ({ name, id }) => `Deleted "${printable(name)}" (${id}).`);
}

async function rotate(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { 'overlap-seconds': TEXT, ...JSON_OPTION }, ENDPOINT);
  const wanted = values['overlap-seconds'];
  const overlap = wanted === undefined ? DAY : wholeNumber('overlap-seconds', wanted, 0, 30 * DAY);
  const client = createClient(config);
  const { id } = await found(client, positionals);
  const { data } = await client.call<{ data: NewSecret }>('POST', `${PATH}/${id}/rotate`, { overlap_seconds: overlap });
  show(values.json ? pretty(data) : `${data.public_key ?? data.secret}\n`);
  const before = overlap === 0 ? 'The one before signs no more.' : `The one before signs along for ${timeWords(overlap)}.`;
  const given = data.public_key === null ? 'a new signing secret, shown this once' : 'a new key: receivers verify with its public key';
  explain(`Gave "${printable(data.name)}" (${data.id}) ${given}. ${before}`);
  return 0;
}

async function change(args: string[], config: Config, method: string, path: string, words: (after: Webhook) => string): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ENDPOINT);
  const client = createClient(config);
  const { id } = await found(client, positionals);
  const { data } = await client.call<{ data: Webhook }>(method, `${PATH}/${id}${path}`);
  show(values.json ? pretty(data) : `${words(data)}\n`);
  return 0;
}

async function found(client: ServiceClient, [given = '']: readonly string[]): Promise<Webhook> {
  return findOne<Webhook>(client, WEBHOOKS, given);
}

/** `a day`, `3 hours`, `90 seconds`: in the greatest unit that it is a whole number of. */
function timeWords(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  const count = seconds / length;
  if (count > 1) return `${count} ${unit}s`;
  return unit === 'hour' ? 'an hour' : `a ${unit}`;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** `Name: value` or `Name=value`. */
function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text): [string, string] => {
      const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) throw new UsageError('--header takes a name and a value, such as "X-Api-Key: 123".');
      return [name, value];
    }),
  );
}

function placeOf(text: string): 'start' | number {
  return text === 'start' ? text : wholeNumber('from', text, 0, Number.MAX_SAFE_INTEGER);
}
