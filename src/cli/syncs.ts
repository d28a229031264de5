import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { UsageError } from './errors.ts';
import { findOne, SOURCES, SYNCS } from './service/find.ts';
import { parseObject, readJsonText } from './arguments/json-argument.ts';
import { amount, fileSize } from './shown/amounts.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { listRuns } from './runs.ts';
import { listAll } from './service/pages.ts';
import { deleting, pathOf, update } from './service/simple-actions.ts';
import { quoted } from './shown/quoted.ts';
import { table } from './shown/table.ts';
import { listVersions, restoreVersion } from './service/sync-versions.ts';

const PATH = '/api/v1/datasync/sync';
const EXAMPLE = '{"streams": [{"source": "public.customers"}]}';

interface Sync {
  id: string;
  name: string;
  status: string;
  source_id: string;
  target_id: string;
  schedule: { type: string; every?: string; expression?: string; timezone?: string; sync_id?: string };
  streams: { source: string; target: string; mode: string; key: string[]; cursor: string | null }[];
  health: string;
  health_reason: string | null;
  next_run_at: string | null;
  expect_every: string | null;
  max_retained: string;
  current_run: {
    status: string;
    streams: { target: string; read: number; live?: 'loading' | 'live' | 'stopped'; error: { message: string } | null }[];
  } | null;
  /** Of one that is live, once it has told. */
  lag: { seconds: number; bytes: number | null } | null;
  retained: { bytes: number | null; lasts_seconds: number | null } | null;
}

const ACTIONS: Actions = {
  create,
  list,
  show: showOne,
  update: updateOne,
  pause: (...given) => act('pause', ...given),
  resume: (...given) => act('resume', ...given),
  reset,
  runs: listOwnRuns,
  versions: listVersions,
  restore: restoreVersion,
  delete: deleting(SYNCS),
};

/** Makes, lists, shows, pauses and resumes the synchronizations of the running service. */
export async function syncs(args: string[], config: Config): Promise<number> {
  return runAction('syncs', ACTIONS, args, config);
}

const TEXT = { type: 'string' } as const;
const SCHEDULE_OPTIONS = { every: TEXT, cron: TEXT, timezone: TEXT, 'on-change': { type: 'boolean' }, after: TEXT } as const;

async function create(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, {
    name: TEXT,
    source: TEXT,
    target: TEXT,
    stream: { type: 'string', multiple: true },
    mode: TEXT,
    key: TEXT,
    cursor: TEXT,
    ...SCHEDULE_OPTIONS,
    'expect-every': TEXT,
    structure: TEXT,
    definition: TEXT,
    ...JSON_OPTION,
  });
  const client = createClient(config);
  const given = values.definition === undefined ? {} : parseObject(readJsonText(values.definition, 'definition'), 'definition', EXAMPLE);
  const named = (values.stream ?? []).map((stream) => streamFrom(stream, values));
  if (named.length === 0 && given['streams'] === undefined) throw new UsageError('--stream is missing: say which streams to keep in sync.');
  const schedule = scheduleFrom(values);
  if (schedule?.['type'] === 'after') schedule['sync_id'] = (await findOne<Sync>(client, SYNCS, values.after ?? '')).id;
  const body = {
    ...given,
    ...(given['name'] === undefined || values.name !== undefined ? { name: mandatory('name', values.name) } : {}),
    ...(await endFrom(client, 'source', values.source, given)),
    ...(await endFrom(client, 'target', values.target, given)),
    ...(named.length > 0 && { streams: named }),
    ...(schedule && { schedule }),
    ...(values['expect-every'] !== undefined && { expect_every: values['expect-every'] }),
    ...(values.structure !== undefined && { structure: values.structure }),
  };
  const { data } = await client.call<{ data: Sync & { warnings: string[] } }>('POST', PATH, body);
  show(values.json ? pretty(data) : `${data.id}\n`);
  if (!values.json) explain(`Created "${printable(data.name)}". ${beginning(data)}`);
  for (const warning of data.warnings) explain(printable(warning));
  return 0;
}

/** The source or the target: what is named, else what the definition has. */
async function endFrom(
  client: ServiceClient,
  end: 'source' | 'target',
  named: string | undefined,
  definition: Record<string, unknown>,
): Promise<object> {
  if (named === undefined && definition[`${end}_id`] !== undefined) return {};
  return { [`${end}_id`]: (await findOne<Sync>(client, SOURCES, mandatory(end, named))).id };
}

function beginning(sync: Sync): string {
  if (isLive(sync)) return 'It is live, and begins by itself.';
  if (sync.schedule.type === 'on_change')
    return `It follows every change, and begins by itself. \`syncline syncs show ${quoted(sync.name)}\` tells how it is.`;
  return `\`syncline run ${quoted(sync.name)}\` starts it.`;
}

/** `public.customers`, or `public.customers=people` to give it another name at the target. */
function streamFrom(given: string, { mode, key, cursor }: { mode?: string; key?: string; cursor?: string }): Record<string, unknown> {
  const at = given.lastIndexOf('=');
  const [source, target] = at === -1 ? [given] : [given.slice(0, at), given.slice(at + 1)];
  return {
    source,
    ...(target !== undefined && { target }),
    ...(mode !== undefined && { mode }),
    ...(key !== undefined && { key: key.split(',') }),
    ...(cursor !== undefined && { cursor }),
  };
}

interface ScheduleOptions {
  every?: string;
  cron?: string;
  timezone?: string;
  'on-change'?: boolean;
  after?: string;
}

function scheduleFrom({ every, cron, timezone, 'on-change': onChange, after }: ScheduleOptions): Record<string, unknown> | undefined {
  if ([every, cron, onChange, after].filter((given) => given !== undefined).length > 1)
    throw new UsageError('--every, --cron, --on-change and --after exclude each other.');
  if (timezone !== undefined && cron === undefined) throw new UsageError('--timezone goes with --cron.');
  if (every !== undefined) return { type: 'interval', every };
  if (cron !== undefined) return { type: 'cron', expression: cron, ...(timezone !== undefined && { timezone }) };
  if (after !== undefined) return { type: 'after' };
  return onChange ? { type: 'on_change' } : undefined;
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Sync>(createClient(config), SYNCS.path);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const rows = found.map((sync) => {
    const before = names.get(sync.schedule.sync_id ?? '');
    return [sync.id, sync.name, sync.health, scheduleText(sync, before), sync.next_run_at ?? '', sync.health_reason ?? ''];
  });
  const headings = ['ID', 'NAME', 'HEALTH', 'SCHEDULE', 'NEXT RUN', 'WHY'];
  const empty = 'There is no synchronization yet. `syncline syncs create --help` tells how to make one.';
  showList({ json: values.json, found, headings, rows, empty });
  return 0;
}

async function showOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the synchronization']);
  const client = createClient(config);
  const sync = await findOne<Sync>(client, SYNCS, positionals[0] ?? '');
  if (values.json) {
    show(pretty(sync));
    return 0;
  }
  const [source, target, before] = await Promise.all([
    nameOf(client, sync.source_id),
    nameOf(client, sync.target_id),
    sync.schedule.sync_id === undefined ? undefined : findOne<Sync>(client, SYNCS, sync.schedule.sync_id),
  ]);
  show(
    table(
      ['NAME', sync.name],
      [
        ['ID', sync.id],
        ['HEALTH', [sync.health, sync.health_reason].filter(Boolean).join(': ')],
        ['FROM', source],
        ['TO', target],
        ['SCHEDULE', isLive(sync) ? 'live' : scheduleText(sync, before?.name)],
        ['NEXT RUN', nextRunText(sync, before?.name)],
        ...(sync.expect_every === null ? [] : [['EXPECTED', `every ${sync.expect_every}`]]),
        ...liveRows(sync),
      ],
    ),
  );
  show('\n');
  const rows = sync.streams.map((stream) => [
    stream.source,
    stream.target,
    stream.mode,
    stream.key.join(',') || '(none)',
    isLive(sync) ? stateOf(sync, stream.target) : (stream.cursor ?? ''),
  ]);
  show(table(['STREAM', 'TARGET', 'MODE', 'KEY', isLive(sync) ? 'STATE' : 'CURSOR'], rows));
  return 0;
}

/** What is given changes, and nothing else. */
async function updateOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    {
      name: TEXT,
      ...SCHEDULE_OPTIONS,
      manual: { type: 'boolean' },
      'expect-every': TEXT,
      structure: TEXT,
      definition: TEXT,
      ...JSON_OPTION,
    },
    ['id or name of the synchronization'],
  );
  const schedule = scheduleFrom(values);
  if (schedule && values.manual) throw new UsageError('--manual goes with no other schedule.');
  const client = createClient(config);
  if (schedule?.['type'] === 'after') schedule['sync_id'] = (await findOne<Sync>(client, SYNCS, values.after ?? '')).id;
  const changes = {
    ...(values.definition !== undefined && parseObject(readJsonText(values.definition, 'definition'), 'definition', EXAMPLE)),
    ...(values.name !== undefined && { name: values.name }),
    ...(schedule && { schedule }),
    ...(values.manual && { schedule: { type: 'manual' } }),
    ...(values['expect-every'] !== undefined && { expect_every: values['expect-every'] }),
    ...(values.structure !== undefined && { structure: values.structure }),
  };
  return update(client, await pathOf(client, SYNCS, positionals[0] ?? ''), changes, values.json);
}

async function reset(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { stream: { type: 'string', multiple: true }, ...JSON_OPTION }, [
    'id or name of the synchronization',
  ]);
  const client = createClient(config);
  const path = `${await pathOf(client, SYNCS, positionals[0] ?? '')}/reset`;
  const { data } = await client.call<{ data: Sync }>('POST', path, values.stream === undefined ? {} : { streams: values.stream });
  if (values.json) show(pretty(data));
  else explain(`${values.stream?.join(', ') ?? 'All streams'} of "${printable(data.name)}" will be read anew. ${beginning(data)}`);
  return 0;
}

async function listOwnRuns(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { status: TEXT, limit: TEXT, ...JSON_OPTION }, ['id or name of the synchronization']);
  const client = createClient(config);
  return listRuns(client, `${await pathOf(client, SYNCS, positionals[0] ?? '')}/runs?`, values);
}

async function nameOf(client: ServiceClient, id: string): Promise<string> {
  const { data } = await client.call<{ data: { name: string; type: string } }>('GET', `${SOURCES.path}/${id}`);
  return `${data.name} (${data.type})`;
}

async function act(action: 'pause' | 'resume', args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the synchronization']);
  const client = createClient(config);
  const sync = await findOne<Sync>(client, SYNCS, positionals[0] ?? '');
  const { data } = await client.call<{ data: Sync }>('POST', `${PATH}/${sync.id}/${action}`);
  if (values.json) show(pretty(data));
  else explain(action === 'pause' ? `Paused "${printable(data.name)}".` : `Resumed "${printable(data.name)}".`);
  return 0;
}

function isLive({ streams }: Sync): boolean {
  return streams.some(({ mode }) => mode === 'cdc');
}

/** How a stream of something live is: `live`, `loading: 1,204 rows`, `stopped: why`. */
function stateOf({ current_run: run }: Sync, target: string): string {
  const report = run?.status === 'running' ? run.streams.find((stream) => stream.target === target) : undefined;
  if (report?.live === 'loading') return `loading: ${amount(report.read, 'row')}`;
  return report?.live === 'stopped' ? `stopped: ${report.error?.message ?? ''}` : (report?.live ?? 'not followed');
}

/** How far something live is behind, and what its source keeps for it. */
function liveRows(sync: Sync): string[][] {
  if (!isLive(sync)) return [];
  const { lag, retained, max_retained } = sync;
  const kept = retained?.bytes == null ? 'not known' : fileSize(retained.bytes);
  const lasts = retained?.lasts_seconds == null ? '' : `, reached in ${amount(retained.lasts_seconds, 'second')} if nothing were followed`;
  return [
    ['BEHIND', lag ? `${lag.seconds.toLocaleString('en')} seconds` : 'not known yet'],
    ['KEPT BY SOURCE', `${kept}, ${max_retained} at most${lasts}`],
  ];
}

/** `before` is the name of the synchronization that runs before it, where one does. */
function nextRunText(sync: Sync, before: string | undefined): string {
  const { status, schedule, next_run_at } = sync;
  if (status === 'paused') return 'when it is resumed';
  if (isLive(sync)) return next_run_at ?? 'it runs all the time';
  if (schedule.type === 'after') return next_run_at ?? `when ${before ?? schedule.sync_id} has run`;
  return next_run_at ?? (schedule.type === 'on_change' ? 'when something changes' : 'when a person starts it');
}

function scheduleText(sync: Sync, before: string | undefined): string {
  const { type, every, expression, timezone, sync_id } = sync.schedule;
  if (isLive(sync))
    return sync.lag && sync.status === 'active' ? `live, ${Math.round(sync.lag.seconds).toLocaleString('en')} s behind` : 'live';
  if (type === 'interval') return `every ${every}`;
  if (type === 'cron') return `${expression} (${timezone})`;
  if (type === 'after') return `after ${before ?? sync_id}`;
  return type === 'on_change' ? 'on change' : 'manual';
}
