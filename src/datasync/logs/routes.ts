import type { Database } from '../../db/database.ts';
import { cursorOf, pageOf } from '../../http/paging.ts';
import { NdjsonLines, type Route, route } from '../../http/route.ts';
import { JsonText, ListOf, Named, Nullable, OneOf, PAGING, Strict, Time, TimeInput } from '../../http/schemas.ts';
import { serializerOf } from '../../http/serialize.ts';
import { firstMillisecond, isoTime, parseTime } from '../../lib/clock.ts';
import { invalidParam } from '../../lib/errors.ts';
import { idOf } from '../../lib/ids.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { hiddenRows } from '../access/marks.ts';
import type { Asking } from '../access/rules.ts';
import { LEVELS } from './entry.ts';
import type { LogFollower } from './follow.ts';
import { type LogFilter, type LogRow, listLogs } from './queries.ts';
import { wordsOf } from './words.ts';

const MOST_WORDS = 16;

const Log = Named('LogEntry', {
  id: Type.String({ examples: ['log_01kfa0v2m3e00g0000000000ta'] }),
  time: Time('When it happened. Later entries never have an earlier time.'),
  level: OneOf(LEVELS),
  sync_id: Nullable(Type.String()),
  run_id: Nullable(Type.String()),
  stream: Nullable(Type.String({ description: 'The stream of the run, by its name at the source.' })),
  source_id: Nullable(Type.String()),
  message: Type.String({ description: 'At most 4 KiB.' }),
  data: Nullable(
    JsonText(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Figures and details, at most 16 KiB; what did not fit is named in `left_out`.' },
      ),
    ),
  ),
});

const EXAMPLE_LOG = {
  id: 'log_01kfa0v2m3e00g0000000000ta',
  time: '2026-11-01T09:30:00.000Z',
  level: 'info',
  sync_id: 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m',
  run_id: 'run_01kfa0v2m3f8rb4v3k7m2t9xqe',
  stream: 'public.customers',
  source_id: null,
  message: 'public.customers: 1,204 rows read, 12 inserted, 3 updated.',
  data: { read: 1204, inserted: 12, updated: 3 },
};

/** Checked here, as ids also become part of a search. */
function IdOf(prefix: 'syn' | 'run' | 'src', description: string) {
  return Type.String({ pattern: `^${prefix}_[0-9a-z]{1,40}$`, description });
}

const LogQuery = Strict({
  ...PAGING,
  sync_id: Type.Optional(IdOf('syn', 'Only entries of this synchronization.')),
  run_id: Type.Optional(IdOf('run', 'Only entries of this run.')),
  source_id: Type.Optional(IdOf('src', 'Only entries about this source.')),
  level: Type.Optional(OneOf(LEVELS, { description: 'Only entries of this level and above.' })),
  from: Type.Optional(TimeInput('At this time or later.')),
  to: Type.Optional(TimeInput('Before this time.')),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only entries with these words in their message: each has to begin a word there, in any case and order.',
    }),
  ),
  follow: Type.Optional(
    OneOf(['true', 'false'], {
      description:
        '`true`: the last `limit` entries, oldest first, and then every new one as it comes, as newline-delimited JSON, until you close the connection. ' +
        'An empty line is a sign of life. Not together with `offset`, `cursor` or `to`.',
    }),
  ),
});

export function logRoutes({ db, follower }: { db: Database; follower: LogFollower }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/datasync/logs',
      scope: 'datasync:read',
      tag: 'Logs',
      summary: 'List log entries, newest first',
      description:
        'What synchronizations did and what went wrong, for 30 days unless the operator decided otherwise. With `follow=true` new entries are sent as they come. Errors that may quote rows of the shop are told and found with the scopes to read those rows; other keys learn their code.',
      query: LogQuery,
      answer: ListOf(Log),
      answersAlso: { 'application/x-ndjson': 'With `follow=true`: one entry on each line.' },
      examples: { answer: { success: true, data: [EXAMPLE_LOG], total: 1, next_cursor: null } },
      handle: async ({ query, request, principal }) => {
        const filter = { ...filterOf(query), hidden: hiddenRows(principal, null) };
        // A client that asks for the headers only would wait without end.
        const follows = query.follow === 'true' && request.method !== 'HEAD';
        if (query.follow === 'true') demandAlone(query);
        const { after, ...page } = pageOf(query, (key) => /^[1-9]\d{0,14}$/.test(key));
        const place = after === undefined ? undefined : Number(after);
        const { rows, total, more, newest } = await db.query(listLogs, { ...page, filter, after: place });
        if (follows) return new NdjsonLines(linesOf(principal, rows.toReversed(), follower.follow(filter, newest)));
        return {
          success: true as const,
          data: rows.map((row) => shown(principal, row)),
          total,
          next_cursor: more ? cursorOf(String(rows.at(-1)?.seq)) : null,
        };
      },
    }),
  ];
}

function filterOf(query: Static<typeof LogQuery>): LogFilter {
  const { sync_id, run_id, source_id, level, q } = query;
  const words = q === undefined ? undefined : wordsOf(q);
  if (words?.length === 0) throw invalidParam('q', 'must hold a letter or a digit');
  if (words && words.length > MOST_WORDS) throw invalidParam('q', `must have at most ${MOST_WORDS} words`);
  return { sync_id, run_id, source_id, level, words, from: moment('from', query.from), to: moment('to', query.to) };
}

function moment(field: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) throw invalidParam(field, 'must be a time such as 2026-11-01T00:00:00Z');
  return isoTime(firstMillisecond(time));
}

function demandAlone(query: Static<typeof LogQuery>): void {
  for (const name of ['offset', 'cursor', 'to'] as const) {
    if (query[name] !== undefined) throw invalidParam('follow', `cannot be combined with ${name}`);
  }
}

/** What may quote rows of the shop is told to those who may read them; to the others, that there is something to tell. */
function shown(asking: Asking, { seq, shop, ...row }: LogRow) {
  const id = idOf('log', Date.parse(row.time), seq);
  const hidden = shop === null ? [] : hiddenRows(asking, shop);
  if (hidden.length === 0) return { id, ...row };
  const { kind, code } = JSON.parse(row.data ?? '{}') as Record<string, unknown>;
  const needed = hidden.map((rows) => `${rows}:read`).join(' and ');
  const message = `It failed with ${String(code)}. What was said may quote rows of the shop: read it with a key that has ${needed}.`;
  return { id, ...row, message, data: JSON.stringify({ kind, code }) };
}

const serialize = serializerOf(Log);

async function* linesOf(asking: Asking, rows: readonly LogRow[], following: AsyncIterable<LogRow[]>): AsyncGenerator<string> {
  // An empty line when there is nothing yet: it lets the headers out, so that the client knows it is connected.
  yield lines(asking, rows);
  for await (const more of following) yield lines(asking, more);
}

function lines(asking: Asking, rows: readonly LogRow[]): string {
  return rows.length === 0 ? '\n' : rows.map((row) => `${serialize(shown(asking, row))}\n`).join('');
}
