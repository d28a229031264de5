import type { Config } from '../config.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { pretty, show } from './shown/output.ts';
import { table } from './shown/table.ts';

interface Me {
  id: string;
  name: string;
  scopes: string[];
  expires_at: string | null;
}

/** Shows which key is used here, and what it may do. */
export async function whoami(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, JSON_OPTION);
  const client = createClient(config);
  const { data } = await client.call<{ data: Me }>('GET', '/api/v1/me');
  const { id, name, scopes, expires_at } = data;
  const rows = [
    ['ID', id],
    ['MAY', scopes.join(', ')],
    ['UNTIL', expires_at ?? 'it is revoked'],
    ['TAKEN FROM', client.key.from],
  ];
  show(values.json ? pretty(data) : table(['NAME', name], rows));
  return 0;
}
