import type { Config } from '../../config.ts';
import { printable } from '../../lib/check.ts';
import { JSON_OPTION } from '../arguments/actions.ts';
import { readArguments } from '../arguments/arguments.ts';
import { createClient } from './client.ts';
import { SYNCS } from './find.ts';
import { pathOf } from './simple-actions.ts';
import { explain, pretty, show, showList } from '../shown/output.ts';

interface Version {
  version: number;
  current: boolean;
  saved_at: string;
  actor: string | null;
  fields: string[];
  restored: number | null;
}

const WHICH = 'id or name of the synchronization';

/** What it was told before, newest first. */
export async function listVersions(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, [WHICH]);
  const client = createClient(config);
  const { data: found } = await client.call<{ data: Version[] }>('GET', `${await pathOf(client, SYNCS, positionals[0] ?? '')}/versions`);
  const rows = found.map((one) => [`${one.version}${one.current ? ' (now)' : ''}`, one.saved_at, one.actor ?? '', changeText(one)]);
  showList({ json: values.json, found, headings: ['VERSION', 'SAVED', 'BY', 'CHANGED'], rows, empty: '' });
  return 0;
}

function changeText({ version, fields, restored }: Version): string {
  if (restored !== null) return `restored ${restored}`;
  return fields.length > 0 ? fields.join(', ') : version === 1 ? 'created' : '';
}

export async function restoreVersion(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, JSON_OPTION, [WHICH, 'version']);
  const [name = '', version = ''] = positionals;
  const client = createClient(config);
  const path = `${await pathOf(client, SYNCS, name)}/versions/${encodeURIComponent(version)}/restore`;
  const { data } = await client.call<{ data: { name: string; warnings: string[] } }>('POST', path);
  if (values.json) show(pretty(data));
  else explain(`"${printable(data.name)}" does again what version ${printable(version)} says.`);
  for (const warning of data.warnings) explain(printable(warning));
  return 0;
}
