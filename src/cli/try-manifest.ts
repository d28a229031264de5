import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import type { TSchema } from '../lib/schema.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { parseObject, readJsonText } from './arguments/json-argument.ts';
import { CliError, UsageError } from './errors.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { CONNECTORS, type ListedConnector } from './service/listed-connector.ts';
import { listAll } from './service/pages.ts';
import { membersTable } from './shown/members.ts';
import { explain, pretty, show } from './shown/output.ts';
import { sampleTable, type ShownSample } from './shown/sample.ts';

const SOURCES = '/api/v1/datasync/sources';

interface Outline {
  forms: { member: string; schema: TSchema }[];
  streams: string[];
  is_partial: boolean;
  unreadable: { name: string; needs: string[]; reason: string }[];
}

/** A configuration that holds a manifest. */
interface Tried {
  readonly type: string;
  readonly config: Record<string, unknown>;
}

// The service does it: it has the guard of networks, the bounds of time and memory and the audit, and what it can reach is what its runs can reach.
// This process only reads the file.

/** Says what of a manifest works and what does not, and reads the first records of a stream. */
export async function tryManifest(args: string[], config: Config): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments(args, { settings: text, stream: text, limit: text, ...JSON_OPTION }, [
    'file of the manifest',
  ]);
  const limit = values.limit === undefined ? 5 : wholeNumber('limit', values.limit, 1, 100);
  if (positionals[0] === '-' && values.settings === '-')
    throw new UsageError('Standard input can be the manifest or the settings, not both.');
  const manifest = readText(positionals[0] ?? '');
  const given =
    values.settings === undefined ? undefined : parseObject(readJsonText(values.settings, 'settings'), 'settings', '{"api_key": "…"}');
  const client = createClient(config);
  const tried = await configured(client, manifest, given ?? {});
  const { data: outline } = await client.call<{ data: Outline | null }>('POST', `${SOURCES}/outline`, tried);
  if (!outline) throw new CliError('This service does not know manifests. Start a newer version of it.');
  const { streams, is_partial: isPartial, unreadable } = outline;
  const forms = outline.forms.filter(({ schema }) => Object.keys(schema.properties ?? {}).length > 0);
  const isWanting = given === undefined && forms.some(({ schema }) => (schema.required ?? []).length > 0);
  if (!values.json) tellStreams(outline);
  if (values.stream !== undefined) demandReadable(outline, values.stream);
  const stream = values.stream ?? streams[0];
  if (stream === undefined || isWanting) {
    if (values.json) show(pretty({ ...outline, stream: null, sample: null }));
    else if (isWanting) {
      for (const { schema } of forms) show(`\nIt wants these settings:\n${membersTable(schema)}`);
      explain('Give them with --settings <file, - or JSON>, and its first records are read.');
    }
    return streams.length === 0 && !isPartial ? 1 : 0;
  }
  const { data: sample } = await client.call<{ data: ShownSample }>('POST', `${SOURCES}/sample`, { ...tried, stream, limit });
  if (values.json) {
    show(pretty({ forms: outline.forms, streams, is_partial: isPartial, unreadable, stream, sample }));
    return 0;
  }
  show(`\nThe first records of "${printable(stream)}":\n${sampleTable(sample)}`);
  if (sample.rows.length === 0) explain('It answered, and has no records.');
  for (const reason of sample.rejects) explain(`A record could not be read: ${printable(reason)}`);
  return 0;
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliError(`The manifest cannot be read from ${file}: ${(error as Error).message}.`);
  }
}

/** The connector that takes manifests is the one whose settings are described by another member of its configuration. */
async function configured(client: ServiceClient, manifest: string, settings: Record<string, unknown>): Promise<Tried> {
  for (const { type, config } of await listAll<ListedConnector>(client, CONNECTORS)) {
    for (const [name, member] of Object.entries(config.properties ?? {})) {
      const by = (member as { 'x-secrets-by'?: { member: string } })['x-secrets-by'];
      if (by) return { type, config: { [by.member]: manifest, [name]: settings } };
    }
  }
  throw new CliError('This service has no connector that takes manifests. Start a newer version of it.');
}

function tellStreams({ streams, is_partial: isPartial, unreadable }: Outline): void {
  const more = isPartial ? ', and others that only the API knows' : '';
  if (streams.length > 0) show(`Streams that can be read (${streams.length}${more}): ${streams.map(printable).join(', ')}\n`);
  else show(isPartial ? 'Only the API knows which streams there are.\n' : 'No stream of it can be read.\n');
  if (unreadable.length > 0) show(`Streams that cannot be read (${unreadable.length}):\n`);
  for (const { name, reason } of unreadable) show(`- ${printable(name)}: ${printable(reason)}\n`);
}

function demandReadable({ streams, unreadable, is_partial: isPartial }: Outline, name: string): void {
  const lacking = unreadable.find((one) => one.name === name);
  if (lacking) throw new CliError(`The stream "${printable(name)}" cannot be read. ${printable(lacking.reason)}`);
  if (!streams.includes(name) && !isPartial)
    throw new CliError(`The manifest has no stream "${printable(name)}". It has ${streams.map(printable).join(', ') || 'none'}.`);
}
