import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { attempt, createDeliveryClient } from '../webhooks/delivery/attempt.ts';
import { matchesType, patternFault } from '../webhooks/filter.ts';
import { bodyOf } from '../webhooks/message.ts';
import { newSigningSecret } from '../webhooks/signature.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CliError, UsageError } from './errors.ts';
import { type ServiceClient, createClient } from './service/client.ts';
import { explain, show, whenUnread } from './shown/output.ts';

const TEXT = { type: 'string' } as const;
const EVENTS = '/api/v1/events';
const PAGE = 100;

interface Event {
  sequence: number;
  id: string;
  type: string;
  object_id: string;
  created_at: string;
  data: unknown;
}

/** Posts the events of the running service to a program on this machine, as webhooks would: for developing a receiver. It needs no address that others can reach. */
export async function listen(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    { types: TEXT, from: TEXT, secret: TEXT, thin: { type: 'boolean' }, json: { type: 'boolean' } },
    ['port or URL that listens'],
  );
  const types = values.types?.split(',').map((one) => one.trim()) ?? ['*'];
  for (const pattern of types) {
    const fault = patternFault(pattern);
    if (fault !== undefined) throw new UsageError(`--types: "${pattern}" ${fault}.`);
  }
  const url = urlOf(positionals[0] ?? '');
  const secret = values.secret ?? newSigningSecret('symmetric');
  if (!/^whsec_[A-Za-z0-9+/=]{32,}$/.test(secret)) throw new UsageError('--secret must be a signing secret such as whsec_….');
  const service = createClient(config);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  whenUnread(() => stop.abort());
  const poster = createDeliveryClient('any');
  const endpoint = { url, headers: {}, secrets: [{ id: '', secret, expiresAt: null }], problem: null };
  const forward = async (event: Event): Promise<void> => {
    const message = { id: event.id, body: bodyOf({ ...event, data: JSON.stringify(event.data) }, values.thin ? 'thin' : 'full') };
    const outcome = await attempt(poster, endpoint, message, { now: Date.now, signal: stop.signal });
    if (!outcome) return;
    const { response_status: status, duration_ms, error } = outcome.entry;
    const { sequence, id, type, object_id } = event;
    if (values.json) show(`${JSON.stringify({ sequence, id, type, object_id, status, duration_ms, error })}\n`);
    else show(`${sequence} ${type} ${printable(object_id)} → ${status ?? printable(error ?? '')} (${duration_ms} ms)\n`);
  };
  try {
    const from =
      values.from === undefined ? undefined : values.from === 'start' ? 0 : wholeNumber('from', values.from, 0, Number.MAX_SAFE_INTEGER);
    explain(`Events are posted to ${url}, signed with ${secret}. Ctrl+C ends it.`);
    await follow(service, from, stop.signal, async (event) => {
      if (matchesType(types, event.type)) await forward(event);
    });
    return 0;
  } finally {
    poster.close();
  }
}

/** Calls for each event, one after the other, from a place of the feed or from now on, until it is stopped. */
async function follow(
  service: ServiceClient,
  from: number | undefined,
  stop: AbortSignal,
  each: (event: Event) => Promise<void>,
): Promise<void> {
  let place = from;
  try {
    // The stream tells where the feed ends, at once and whenever it has grown.
    for await (const line of service.lines(EVENTS, 'text/event-stream', stop)) {
      if (!line.startsWith('data:')) continue;
      const { sequence } = JSON.parse(line.slice('data:'.length)) as { sequence: number };
      place ??= sequence;
      if (sequence > place) place = await readOn(service, place, stop, each);
    }
  } catch (error) {
    if (stop.aborted) return;
    throw error;
  }
  if (!stop.aborted) throw new CliError('The service has ended the connection. Start it again, with --from to go on where it was.');
}

async function readOn(service: ServiceClient, after: number, stop: AbortSignal, each: (event: Event) => Promise<void>): Promise<number> {
  for (let place = after; ; ) {
    const { data, next_cursor } = await service.call<{ data: Event[]; next_cursor: string }>(
      'GET',
      `${EVENTS}?after=${place}&limit=${PAGE}`,
    );
    for (const event of data) {
      if (stop.aborted) return place;
      await each(event);
    }
    place = Number(next_cursor);
    if (data.length === 0) return place;
  }
}

/** A port of this machine, with or without a path, or a whole address. */
function urlOf(given: string): string {
  const [, port, path = ''] = /^(\d{1,5})(\/.*)?$/s.exec(given) ?? [];
  const url = URL.parse(port === undefined ? given : `http://localhost:${port}${path}`);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${given}" is neither a port nor a URL; try 3000, 3000/hook or http://localhost:3000/hook.`);
  return url.href;
}
