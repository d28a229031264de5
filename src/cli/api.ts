import type { Config } from '../config.ts';
import { readArguments } from './arguments/arguments.ts';
import { readJsonText } from './arguments/json-argument.ts';
import { UsageError } from './errors.ts';
import { createClient, isSuccess } from './service/client.ts';
import { show } from './shown/output.ts';

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Sends any request to the running service, and shows the answer as it is. */
export async function api(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    { method: { type: 'string' }, body: { type: 'string' }, header: { type: 'string', multiple: true }, json: { type: 'boolean' } },
    ['path'],
  );
  const path = positionals[0] ?? '';
  if (!path.startsWith('/')) throw new UsageError(`The path begins with a slash, such as /api/v1/orders; "${path}" does not.`);
  const method = (values.method ?? (values.body === undefined ? 'GET' : 'POST')).toUpperCase();
  if (!METHODS.has(method)) throw new UsageError(`--method is one of ${[...METHODS].join(', ')}, not "${values.method}".`);
  const body = values.body === undefined ? undefined : readJsonText(values.body, 'body');
  const headers = Object.fromEntries((values.header ?? []).map(headerFrom));
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const { status, text } = await createClient(config).send(method, path, body, { ...type, ...headers });
  show(text.endsWith('\n') ? text : `${text}\n`);
  return isSuccess(status) ? 0 : 1;
}

function headerFrom(given: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--header is written as "Name: value", not "${given}".`);
  // The key is found as for every other command.
  if (name.toLowerCase() === 'authorization') throw new UsageError('The key is set by SYNCLINE_KEY, and not by --header.');
  return [name.toLowerCase(), value];
}
