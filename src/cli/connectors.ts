import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { type Actions, JSON_OPTION, runAction } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { createClient } from './service/client.ts';
import { CONNECTORS, type ListedConnector } from './service/listed-connector.ts';
import { listAll } from './service/pages.ts';
import { membersTable } from './shown/members.ts';
import { explain, pretty, show, showList } from './shown/output.ts';
import { tryManifest } from './try-manifest.ts';

const ACTIONS: Actions = { list, show: showOne, try: tryManifest };

/** Lists what the running service can connect to, and tries manifests there. */
export async function connectors(args: string[], config: Config): Promise<number> {
  return runAction('connectors', ACTIONS, args, config);
}

async function list(args: string[], config: Config): Promise<number> {
  const { values, words } = readWords(args);
  const found = await listAll<ListedConnector>(
    createClient(config),
    words === '' ? CONNECTORS : `${CONNECTORS}?q=${encodeURIComponent(words)}`,
  );
  const rows = found.map(({ type, title, category, abilities }) => [type, title, category, waysOf(abilities).join(', ')]);
  const empty = `No connector is found by "${printable(words)}". \`syncline connectors list\` shows all.`;
  showList({ json: values.json, found, headings: ['CONNECTOR', 'TITLE', 'CATEGORY', 'CAN'], rows, empty });
  return 0;
}

/** Any number of words: all of them are looked for. */
function readWords(args: string[]) {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const { values } = readArguments(
    args.filter((arg) => arg.startsWith('-')),
    JSON_OPTION,
  );
  return { values, words: words.join(' ').trim() };
}

async function showOne(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, ['name of the connector']);
  const given = positionals[0] ?? '';
  const all = await listAll<ListedConnector>(createClient(config), CONNECTORS);
  const found = all.find(({ type }) => type === given.toLowerCase());
  if (!found) throw new CliError(`There is no connector "${printable(given)}". There are ${all.map(({ type }) => type).join(', ')}.`);
  if (values.json) {
    show(pretty(found));
    return 0;
  }
  const { type, title, description, abilities, promises } = found;
  show(`${title} (${type})\n${description}\n\nIt can: ${waysOf(abilities).join(', ')}.\n`);
  for (const promise of promises) show(`- ${promise}\n`);
  if (abilities.notes !== null) show(`${abilities.notes}\n`);
  show(`\n${membersTable(found.config)}`);
  explain(`Add one: syncline sources add --name <name> --type ${type} --set <name=value>…`);
  return 0;
}

function waysOf({ read, write, incremental, log, applies, undo, structure }: ListedConnector['abilities']): string[] {
  return [
    ...(read ? [incremental ? 'read, also what is new' : 'read'] : []),
    ...(write.length > 0 ? [`write (${write.join(', ')})`] : []),
    ...(log ? ['be followed live'] : []),
    ...(applies ? ['take live changes'] : []),
    ...(undo ? ['take runs back'] : []),
    ...(structure ? ['bring keys and indexes along'] : []),
  ];
}
