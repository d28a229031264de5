import type { Config } from '../../config.ts';
import { printable } from '../../lib/check.ts';
import { JSON_OPTION } from '../arguments/actions.ts';
import { mandatory, readArguments } from '../arguments/arguments.ts';
import { parseObject, readJsonText } from '../arguments/json-argument.ts';
import { UsageError } from '../errors.ts';
import { explain, pretty, show } from '../shown/output.ts';
import { type ServiceClient, createClient } from './client.ts';
import { findOne, type Nouns } from './find.ts';

// Actions that are one request: most of what can be done with something that has an id.

type Action = (args: string[], config: Config) => Promise<number>;
type Named = { id: string; name: string };

const TEXT = { type: 'string' } as const;

/** `show <id or name>`: as the API tells it. */
export function showing(nouns: Nouns): Action {
  return async (args, config) => {
    const { positionals } = readArguments(args, JSON_OPTION, [`id or name of the ${nouns.one}`]);
    const client = createClient(config);
    const path = await pathOf(client, nouns, positionals[0] ?? '');
    show(pretty((await client.call<{ data: object }>('GET', path)).data));
    return 0;
  };
}

/** `update <id or name> --name … --definition …`: what is not given stays. */
export function updating(nouns: Nouns): Action {
  return async (args, config) => {
    const { values, positionals } = readArguments(args, { name: TEXT, definition: TEXT, ...JSON_OPTION }, [
      `id or name of the ${nouns.one}`,
    ]);
    const changes = {
      ...(values.definition !== undefined && parseObject(readJsonText(values.definition, 'definition'), 'definition', '{"name": "new"}')),
      ...(values.name !== undefined && { name: values.name }),
    };
    const client = createClient(config);
    return update(client, await pathOf(client, nouns, positionals[0] ?? ''), changes, values.json);
  };
}

/** Changes something that has a name, and says so. */
export async function update(client: ServiceClient, path: string, changes: object, json: boolean | undefined): Promise<number> {
  if (Object.keys(changes).length === 0) throw new UsageError('Say what is to change.');
  const { data } = await client.call<{ data: Named & { warnings?: string[] } }>('PUT', path, changes);
  if (json) show(pretty(data));
  else explain(`Changed "${printable(data.name)}".`);
  for (const warning of data.warnings ?? []) explain(printable(warning));
  return 0;
}

/** `delete <id or name>`. */
export function deleting(nouns: Nouns, beside = ''): Action {
  return async (args, config) => {
    const { values, positionals } = readArguments(args, JSON_OPTION, [`id or name of the ${nouns.one}`]);
    const client = createClient(config);
    const path = await pathOf(client, nouns, positionals[0] ?? '');
    const { data } = await client.call<{ data: Partial<Named> }>('DELETE', path);
    if (values.json) show(pretty(data));
    else explain(`Deleted "${printable(data.name ?? positionals[0] ?? '')}"${beside}.`);
    return 0;
  };
}

/** The object that an option holds, which must be given. */
export function objectFrom(option: string, given: string | undefined, example: string): Record<string, unknown> {
  return parseObject(readJsonText(mandatory(option, given), option), option, example);
}

/** Where it is. What is called by its id alone is not looked for: there may be millions. */
export async function pathOf(client: ServiceClient, nouns: Nouns, given: string): Promise<string> {
  const path = nouns.path.split('?', 1)[0] ?? '';
  return `${path}/${nouns.byId ? encodeURIComponent(given) : (await findOne<Named>(client, nouns, given)).id}`;
}
