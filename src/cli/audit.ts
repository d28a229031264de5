import type { Config } from '../config.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { explain, showList } from './shown/output.ts';

const TEXT = { type: 'string' } as const;

interface Entry {
  at: string;
  actor: string;
  action: string;
  object_id: string | null;
  address: string | null;
}

/** Shows who has changed what, the newest first. */
export async function audit(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { object: TEXT, actor: TEXT, action: TEXT, limit: TEXT, ...JSON_OPTION });
  const query = new URLSearchParams({ limit: String(values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 1000)) });
  for (const [parameter, value] of [
    ['object_id', values.object],
    ['actor', values.actor],
    ['action', values.action],
  ] as const)
    if (value !== undefined) query.set(parameter, value);
  const { data, total } = await createClient(config).call<{ data: Entry[]; total: number }>('GET', `/api/v1/audit?${query.toString()}`);
  const rows = data.map(({ at, actor, action, object_id, address }) => [at, action, object_id ?? '', actor, address ?? '']);
  showList({
    json: values.json,
    found: data,
    headings: ['AT', 'ACTION', 'OBJECT', 'BY', 'FROM'],
    rows,
    empty: 'Nothing like this was done.',
  });
  if (!values.json && total > data.length) explain(`${data.length} of ${total}.`);
  return 0;
}
