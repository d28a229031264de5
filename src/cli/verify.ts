import type { Config } from '../config.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { UsageError } from './errors.ts';
import { findOne, SYNCS } from './service/find.ts';
import { followRun, type WatchedRun } from './run.ts';

/** What the exit code tells a script. */
const EXIT_CODES = { equal: 0, differs: 5, changing: 6 } as const;
const NEEDS_APPROVAL = 4;

/** Compares both ends of a synchronization and shows what differs; with `--repair`, writes it. */
export async function verify(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    { repair: { type: 'boolean' }, 'repair-preview': { type: 'boolean' }, stream: { type: 'string', multiple: true }, ...JSON_OPTION },
    ['id or name of the synchronization'],
  );
  if (values.repair && values['repair-preview']) throw new UsageError('--repair and --repair-preview exclude each other.');
  const client = createClient(config);
  const sync = await findOne<{ id: string; name: string }>(client, SYNCS, positionals[0] ?? '');
  const mode = values.repair ? 'repair' : values['repair-preview'] ? 'repair_preview' : 'verify';
  const { data } = await client.call<{ data: WatchedRun }>('POST', `/api/v1/datasync/sync/${sync.id}/runs`, {
    mode,
    ...(values.stream && { streams: values.stream }),
  });
  return exitCodeOf(await followRun(client, data, values.json === true));
}

/** The worst of the streams. One that was not compared is not equal. */
function exitCodeOf({ status, streams }: WatchedRun): number {
  if (status === 'needs_approval') return NEEDS_APPROVAL;
  const results = new Set(streams.map(({ proof }) => proof?.result));
  if ((status !== 'succeeded' && status !== 'partial') || results.has(undefined)) return 1;
  const worst = (['differs', 'changing'] as const).find((result) => results.has(result));
  return EXIT_CODES[worst ?? 'equal'];
}
