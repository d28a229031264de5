import type { Config } from '../config.ts';
import { visible } from '../lib/check.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { createClient } from './service/client.ts';
import { UsageError } from './errors.ts';
import { findOne, SOURCES, SYNCS } from './service/find.ts';
import { pretty, show, whenUnread } from './shown/output.ts';

interface LogEntry {
  time: string;
  level: string;
  stream: string | null;
  message: string;
  data: Record<string, unknown> | null;
}

const TEXT = { type: 'string' } as const;
const SPANS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Shows what the synchronizations have to tell, newest last; with -f, goes on as they tell more. */
export async function logs(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, {
    follow: { type: 'boolean', short: 'f' },
    sync: TEXT,
    run: TEXT,
    source: TEXT,
    level: TEXT,
    since: TEXT,
    q: TEXT,
    limit: TEXT,
    ...JSON_OPTION,
  });
  const client = createClient(config);
  const query = new URLSearchParams();
  if (values.sync !== undefined) query.set('sync_id', (await findOne(client, SYNCS, values.sync)).id);
  if (values.source !== undefined) query.set('source_id', (await findOne(client, SOURCES, values.source)).id);
  if (values.run !== undefined) query.set('run_id', values.run);
  if (values.level !== undefined) query.set('level', values.level);
  if (values.since !== undefined) query.set('from', timeOf(values.since));
  if (values.q !== undefined) query.set('q', values.q);
  query.set('limit', String(values.limit === undefined ? 100 : wholeNumber('limit', values.limit, 1, 1000)));
  const print = (entry: LogEntry): void => show(values.json ? `${JSON.stringify(entry)}\n` : lineOf(entry));
  if (values.follow) {
    query.set('follow', 'true');
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    whenUnread(() => stop.abort());
    try {
      for await (const line of client.lines(`/api/v1/datasync/logs?${query.toString()}`, 'application/x-ndjson', stop.signal))
        if (line.trim() !== '') print(JSON.parse(line) as LogEntry);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
    return 0;
  }
  const { data } = await client.call<{ data: LogEntry[] }>('GET', `/api/v1/datasync/logs?${query.toString()}`);
  if (values.json) show(pretty(data));
  else for (const entry of data.toReversed()) print(entry);
  return 0;
}

/** `90s`, `15m`, `2h`, `7d` before now, or a time. */
function timeOf(given: string): string {
  const match = /^(\d{1,6})([smhd])$/.exec(given);
  if (match) return new Date(Date.now() - Number(match[1]) * (SPANS[match[2] ?? ''] ?? 0)).toISOString();
  const time = Date.parse(given);
  if (Number.isNaN(time))
    throw new UsageError(`--since takes a span such as 15m or 2h, or a time such as 2026-11-15T08:00:00Z, not "${given}".`);
  return new Date(time).toISOString();
}

function lineOf({ time, level, stream, message, data }: LogEntry): string {
  const details = data === null || Object.keys(data).length === 0 ? '' : ` ${JSON.stringify(data)}`;
  return `${time} ${level.toUpperCase().padEnd(5)} ${visible(`${stream === null ? '' : `${stream}: `}${message}${details}`)}\n`;
}
