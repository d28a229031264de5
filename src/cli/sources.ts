import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import type { TSchema } from '../lib/schema.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { mandatory, readArguments, wholeNumber } from './arguments/arguments.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { CliError, UsageError } from './errors.ts';
import { findOne, SOURCES } from './service/find.ts';
import { readJsonText } from './arguments/json-argument.ts';
import { fileSize } from './shown/amounts.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { listAll } from './service/pages.ts';
import { deleting, showing, update } from './service/simple-actions.ts';
import { sampleTable, type ShownSample } from './shown/sample.ts';
import { configFrom } from './arguments/source-config.ts';
import { table } from './shown/table.ts';
import { sentence } from '../lib/sentence.ts';

const PATH = '/api/v1/datasync/sources';

interface Source {
  id: string;
  name: string;
  type: string;
  status: string;
  status_message: string | null;
  checked_at: string | null;
}

interface CheckResult {
  ok: boolean;
  message: string;
  warnings: string[];
  /** What is missing for it to be followed live; null where it cannot be. */
  live_needs: string[] | null;
  error: { hint: string | null } | null;
}

interface Stream {
  name: string;
  kind: string;
  fields: { name: string; type: string }[];
  key: string[];
  estimated_rows: number | null;
  estimated_bytes: number | null;
  readable: boolean;
  note: string | null;
}

const ACTIONS: Actions = { add, list, show: showing(SOURCES), check, streams, sample, update: updateOne, delete: deleting(SOURCES) };

/** Adds, lists and looks into the data sources of the running service. */
export async function sources(args: string[], config: Config): Promise<number> {
  return runAction('sources', ACTIONS, args, config);
}

async function add(args: string[], config: Config): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = readArguments(args, {
    name: text,
    type: text,
    config: text,
    set: { type: 'string', multiple: true },
    'no-check': { type: 'boolean' },
    keep: { type: 'boolean' },
    ...JSON_OPTION,
  });
  if (values['no-check'] && values.keep) throw new UsageError('--no-check and --keep exclude each other: what is not checked is kept.');
  const client = createClient(config);
  const [name, type] = [mandatory('name', values.name), mandatory('type', values.type)];
  const given = configFrom(
    values.config === undefined ? '{}' : readJsonText(values.config, 'configuration'),
    values.set ?? [],
    await schemaOf(client, type),
  );
  const result = values['no-check'] ? undefined : await tryConfig(client, { type, config: given });
  if (result && !result.ok && !values.keep) throw notKept(name, result);
  const { data } = await client.call<{ data: Source & { warnings: string[] } }>('POST', PATH, { name, type, config: given });
  show(values.json ? pretty(data) : `${data.id}\n`);
  for (const warning of data.warnings) explain(printable(warning));
  if (!result) return 0;
  // Once more, so that the service knows it, too.
  const checked = await runCheck(client, data.id);
  if (values.json) return checked.ok ? 0 : 1;
  return tellCheck(`Added "${printable(data.name)}".`, checked);
}

/** Tries a configuration that is not kept yet. */
async function tryConfig(client: ServiceClient, given: { type: string; config: object }): Promise<CheckResult> {
  return (await client.call<{ data: CheckResult }>('POST', `${PATH}/check`, given)).data;
}

function notKept(name: string, { message, error }: CheckResult): CliError {
  const words = [
    `"${printable(name)}" was not added. It does not work: ${printable(message)}`,
    printable(error?.hint ?? ''),
    'With --keep it is added all the same.',
  ];
  return new CliError(words.filter((part) => part !== '').join(' '), 1, { code: 'CHECK_FAILED', details: { reason: message } });
}

/** What is given changes; of the configuration, with --set, single members. */
async function updateOne(args: string[], config: Config): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(
    args,
    { name: text, config: text, set: { type: 'string', multiple: true }, 'no-check': { type: 'boolean' }, ...JSON_OPTION },
    ['id or name of the source'],
  );
  const client = createClient(config);
  const source = await findOne<Source & { config: object }>(client, SOURCES, positionals[0] ?? '');
  const isConfigured = values.config !== undefined || values.set !== undefined;
  // Secrets are shown as stars, and what comes back as stars stays as it is.
  const before = values.config === undefined ? JSON.stringify(source.config) : readJsonText(values.config, 'configuration');
  const changes = {
    ...(values.name !== undefined && { name: values.name }),
    ...(isConfigured && { config: configFrom(before, values.set ?? [], await schemaOf(client, source.type)) }),
  };
  const code = await update(client, `${PATH}/${source.id}`, changes, values.json);
  if (!isConfigured || values['no-check'] || values.json) return code;
  return tellCheck('', await runCheck(client, source.id));
}

async function schemaOf(client: ServiceClient, type: string): Promise<TSchema> {
  const connectors = await listAll<{ type: string; config: TSchema }>(client, '/api/v1/datasync/connectors');
  const found = connectors.find((connector) => connector.type === type);
  if (!found) throw new CliError(`There is no connector "${printable(type)}". There are ${connectors.map((one) => one.type).join(', ')}.`);
  return found.config;
}

async function list(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const found = await listAll<Source>(createClient(config), PATH);
  const rows = found.map((source) => [source.id, source.name, source.type, source.status, source.status_message ?? '']);
  const headings = ['ID', 'NAME', 'TYPE', 'STATUS', 'MESSAGE'];
  const empty = 'There is no source yet. `syncline sources add --help` tells how to add one.';
  showList({ json: values.json, found, headings, rows, empty });
  return 0;
}

async function check(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the source']);
  const client = createClient(config);
  const source = await findOne<Source>(client, SOURCES, positionals[0] ?? '');
  const result = await runCheck(client, source.id);
  if (!values.json) return tellCheck('', result);
  show(pretty(result));
  return result.ok ? 0 : 1;
}

async function streams(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['id or name of the source']);
  const client = createClient(config);
  const source = await findOne<Source>(client, SOURCES, positionals[0] ?? '');
  const found = await listAll<Stream>(client, `${PATH}/${source.id}/streams`);
  const rows = found.map(({ name, kind, fields, key, estimated_rows, estimated_bytes }) => [
    name,
    kind,
    String(fields.length),
    key.join(',') || '(none)',
    estimated_rows === null ? '?' : `~${estimated_rows}`,
    estimated_bytes === null ? '?' : `~${fileSize(estimated_bytes)}`,
  ]);
  show(values.json ? pretty(found) : table(['STREAM', 'KIND', 'FIELDS', 'KEY', 'ROWS', 'SIZE'], rows));
  for (const { name, note } of found.filter(({ readable }) => !readable)) explain(`"${printable(name)}": ${printable(note ?? '')}`);
  return 0;
}

async function sample(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { limit: { type: 'string' }, ...JSON_OPTION }, [
    'id or name of the source',
    'name of the stream',
  ]);
  const limit = values.limit === undefined ? 10 : wholeNumber('limit', values.limit, 1, 100);
  const client = createClient(config);
  const source = await findOne<Source>(client, SOURCES, positionals[0] ?? '');
  const path = `${PATH}/${source.id}/streams/${encodeURIComponent(positionals[1] ?? '')}/sample?limit=${limit}`;
  const { data } = await client.call<{ data: ShownSample }>('GET', path);
  show(values.json ? pretty(data.rows) : sampleTable(data));
  for (const reason of data.rejects) explain(`A row could not be read: ${printable(reason)}`);
  return 0;
}

async function runCheck(client: ServiceClient, id: string): Promise<CheckResult> {
  return (await client.call<{ data: CheckResult }>('POST', `${PATH}/${id}/check`)).data;
}

function tellCheck(before: string, { ok, message, warnings, live_needs, error }: CheckResult): number {
  const words = ok
    ? [`It works: ${sentence(message)}`, ...warnings.map((warning) => `But: ${sentence(warning)}`), ...liveWords(live_needs)]
    : [`It does not work: ${message}`, error?.hint ?? ''];
  explain([before, ...words.map(printable)].filter((part) => part !== '').join(' '));
  return ok ? 0 : 1;
}

function liveWords(needs: string[] | null): string[] {
  if (needs === null) return [];
  return needs.length === 0 ? ['It is ready for live synchronizations.'] : ['To be followed live it needs this:', ...needs.map(sentence)];
}
