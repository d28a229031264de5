import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments, wholeNumber } from './arguments/arguments.ts';
import { UsageError } from './errors.ts';
import { createClient } from './service/client.ts';
import { ALERTS, findOne, SYNCS } from './service/find.ts';
import { listAll } from './service/pages.ts';
import { deleting, showing, updating } from './service/simple-actions.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { quoted } from './shown/quoted.ts';

interface Alert {
  id: string;
  name: string;
  channel: { type: string; to?: string[] };
  rules: { type: string }[];
  sync_ids: string[] | null;
  status: string;
  error: string | null;
  waiting: number;
  secret?: string | null;
}

interface Incident {
  id: string;
  rule: string;
  object_id: string;
  object_name: string;
  opened_at: string;
  closed_at: string | null;
  summary: string;
}

interface Message {
  id: string;
  kind: string;
  status: string;
  object_name: string;
  rule: string;
  created_at: string;
  sent_at: string | null;
  attempts: number;
  error: string | null;
}

const ACTIONS: Actions = {
  list,
  add,
  show: showing(ALERTS),
  update: updating(ALERTS),
  test,
  messages,
  incidents,
  delete: deleting(ALERTS),
};
const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const ADDRESSES = ['slack', 'teams', 'discord', 'mattermost', 'webhook'] as const;
/** What the number behind a rule is called. */
const MEASURES: Readonly<Record<string, string>> = {
  failing: 'runs',
  rejects: 'over',
  lag: 'seconds',
  disk_full: 'free_percent',
  key_expires: 'days',
};

/** Lists, adds and tries the alerts of the running service, and shows what is wrong. */
export async function alerts(args: string[], config: Config): Promise<number> {
  return runAction('alerts', ACTIONS, args, config);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Alert>(createClient(config), ALERTS.path);
  const rows = found.map(({ id, name, channel, rules, sync_ids, status, waiting, error }) => [
    id,
    name,
    channel.to ? `email to ${channel.to.join(', ')}` : channel.type,
    rules.map(({ type }) => type).join(','),
    sync_ids === null ? 'all' : String(sync_ids.length),
    status,
    String(waiting),
    error ?? '',
  ]);
  const headings = ['ID', 'NAME', 'CHANNEL', 'RULES', 'SYNCS', 'STATUS', 'WAITING', 'ERROR'];
  const empty = 'Nobody is told yet. `syncline alerts add --name operations --rule failing --slack <url>` adds an alert.';
  showList({ json: values.json, found, headings, rows, empty });
  return 0;
}

async function add(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, {
    name: TEXT,
    email: TEXT,
    smtp: TEXT,
    from: TEXT,
    slack: TEXT,
    teams: TEXT,
    discord: TEXT,
    mattermost: TEXT,
    webhook: TEXT,
    rule: TEXTS,
    sync: TEXTS,
    remind: TEXT,
    quiet: TEXT,
    timezone: TEXT,
    ...JSON_OPTION,
  });
  const name = mandatory('name', values.name);
  const channel = channelFrom(values);
  const rules = (values.rule ?? []).map(ruleFrom);
  if (rules.length === 0) throw new UsageError('--rule is missing: say what it is told of, such as --rule failing.');
  const quiet_hours = quietFrom(values);
  const client = createClient(config);
  const syncs = await Promise.all((values.sync ?? []).map((one) => findOne<{ id: string; name: string }>(client, SYNCS, one)));
  const { data } = await client.call<{ data: Alert }>('POST', ALERTS.path, {
    name,
    channel,
    rules,
    ...(syncs.length > 0 && { sync_ids: syncs.map(({ id }) => id) }),
    ...(values.remind !== undefined && { remind_every: values.remind }),
    ...(quiet_hours && { quiet_hours }),
  });
  show(values.json ? pretty(data) : `${data.id}\n`);
  if (values.json) return 0;
  explain(`Added "${printable(data.name)}". \`syncline alerts test ${data.id}\` tries it.`);
  if (data.secret) explain(`Its messages are signed with ${data.secret}, which is shown this once.`);
  return 0;
}

type ChannelOptions = Partial<Record<(typeof ADDRESSES)[number] | 'email' | 'smtp' | 'from', string>>;

function channelFrom(given: ChannelOptions): Record<string, unknown> {
  const addresses = ADDRESSES.filter((type) => given[type] !== undefined);
  const count = addresses.length + (given.email === undefined ? 0 : 1);
  if (count !== 1) throw new UsageError('Say how it is told, by one of --email, --slack, --teams, --discord, --mattermost and --webhook.');
  const [type] = addresses;
  if (type !== undefined) return { type, url: given[type] };
  const to = mandatory('email', given.email)
    .split(',')
    .map((one) => one.trim());
  return { type: 'email', smtp_url: mandatory('smtp', given.smtp), from: mandatory('from', given.from), to };
}

/** `failing`, or `rejects=100` for one that has a measure. */
function ruleFrom(text: string): Record<string, unknown> {
  const [type = '', value] = text.split('=', 2);
  if (value === undefined && type === 'lag') throw new UsageError('The rule "lag" needs a number of seconds, such as --rule lag=3600.');
  if (value === undefined) return { type };
  const measure = MEASURES[type];
  if (measure === undefined) throw new UsageError(`The rule "${printable(type)}" takes no number.`);
  return { type, [measure]: wholeNumber('rule', value, 0, 1_000_000_000) };
}

function quietFrom({ quiet, timezone }: { quiet?: string; timezone?: string }): Record<string, string> | undefined {
  if (quiet === undefined) {
    if (timezone !== undefined) throw new UsageError('--timezone goes with --quiet.');
    return undefined;
  }
  const [, from, to] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(quiet) ?? [];
  if (from === undefined || to === undefined) throw new UsageError('--quiet must be two times such as 22:00-07:00.');
  return { from, to, ...(timezone !== undefined && { timezone }) };
}

async function test(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the alert']);
  const client = createClient(config);
  const alert = await findOne<Alert>(client, ALERTS, positionals[0] ?? '');
  const { data } = await client.call<{ data: { delivered: boolean; duration_ms: number; error: string | null } }>(
    'POST',
    `${ALERTS.path}/${alert.id}/test`,
  );
  if (values.json) show(pretty(data));
  else
    explain(
      [data.delivered ? `It got through, in ${data.duration_ms} ms.` : 'It did not get through.', printable(data.error ?? '')]
        .join(' ')
        .trim(),
    );
  return data.delivered ? 0 : 1;
}

async function messages(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the alert']);
  const client = createClient(config);
  const alert = await findOne<Alert>(client, ALERTS, positionals[0] ?? '');
  const { data } = await client.call<{ data: Message[] }>('GET', `${ALERTS.path}/${alert.id}/messages`);
  const rows = data.map((one) => [one.created_at, one.kind, one.object_name, one.rule, one.status, String(one.attempts), one.error ?? '']);
  const headings = ['TIME', 'KIND', 'WHAT', 'RULE', 'STATUS', 'ATTEMPTS', 'ERROR'];
  const empty = `Nothing was sent yet. \`syncline alerts test ${quoted(alert.name)}\` tries whether it gets through.`;
  showList({ json: values.json, found: data, headings, rows, empty });
  return 0;
}

async function incidents(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { all: { type: 'boolean' }, ...JSON_OPTION });
  const found = await listAll<Incident>(createClient(config), `/api/v1/incidents?status=${values.all ? 'all' : 'open'}`);
  const rows = found.map(({ id, rule, object_name, opened_at, closed_at, summary }) => [
    id,
    rule,
    object_name,
    opened_at,
    closed_at ?? '',
    summary,
  ]);
  const headings = ['ID', 'RULE', 'WHAT', 'SINCE', 'UNTIL', 'SUMMARY'];
  const empty = values.all ? 'Nothing was wrong in the last 30 days.' : 'Nothing is wrong. `--all` also shows what is over.';
  showList({ json: values.json, found, headings, rows, empty });
  return 0;
}
