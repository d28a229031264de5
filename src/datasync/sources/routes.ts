import { Type } from '../../lib/schema.ts';
import type { Database } from '../../db/database.ts';
import { cursorOf, pageAnswer, pageOf } from '../../http/paging.ts';
import { type Route, route } from '../../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../../http/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { demandForSample } from '../access/demand.ts';
import { deleteSource } from './commands.ts';
import { findSource, listSources } from './queries.ts';
import { renderSource, shownField } from './render.ts';
import {
  ChangedSource,
  CheckResult,
  CONFIG_BODY_LIMIT,
  EXAMPLE_CHECK,
  EXAMPLE_NEW_SOURCE,
  EXAMPLE_SAMPLE,
  EXAMPLE_SOURCE,
  EXAMPLE_STREAM,
  NewSource,
  Sample,
  SavedSource,
  Source,
  Stream,
} from './schemas.ts';
import type { SourceService } from './service.ts';
import { sentence } from '../../lib/sentence.ts';
import { unsavedRoutes } from './unsaved-routes.ts';

const BASE = '/api/v1/datasync/sources';
const TAG = 'Sources';
const Ready = Type.Optional(
  OneOf(['true', 'false'], {
    default: 'false',
    description:
      '`true`: one of these sources will be asked within a minute. What that takes is loaded meanwhile, so that the first answer comes sooner.',
  }),
);
const SourceId = Strict({ id: Type.String({ description: 'The id of the source.' }) });

export function sourceRoutes({ db, clock, sources }: { db: Database; clock: Clock; sources: SourceService }): Route[] {
  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'List data sources, newest first',
      query: Strict({ ...PAGING, ready: Ready }),
      answer: ListOf(Source),
      examples: { answer: { success: true, data: [EXAMPLE_SOURCE], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('src', key));
        const { rows, total, limit } = await listSources(db.read, page);
        // The answer does not wait for it.
        if (query.ready === 'true') void sources.makeReady(rows.map(({ type }) => type));
        return pageAnswer(rows.map(renderSource), total, { limit });
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Add a data source',
      description:
        'Nothing is connected to yet: check the source afterwards, or `POST /datasync/sources/check` before. Secrets are encrypted and never shown again. A configuration that describes streams itself, and none that can be read, is refused; `warnings` names those that cannot be, beside others.',
      body: NewSource,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(SavedSource),
      answerHeaders: { Location: 'Where the source is.' },
      errors: ['CONFLICT'],
      examples: {
        body: EXAMPLE_NEW_SOURCE,
        answer: { success: true, data: { ...EXAMPLE_SOURCE, status: 'unchecked', status_message: null, checked_at: null, warnings: [] } },
      },
      handle: async ({ body, principal, reply }) => {
        const { row, warnings } = await sources.create(principal, body);
        void reply.header('location', `${BASE}/${row.id}`);
        return { success: true as const, data: { ...renderSource(row), warnings } };
      },
    }),
    ...unsavedRoutes(sources),
    route({
      method: 'GET',
      path: `${BASE}/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Read one data source',
      params: SourceId,
      answer: Success(Source),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_SOURCE } },
      handle: async ({ params }) => {
        const row = await findSource(db.read, params.id);
        if (!row) throw notFound('source', params.id);
        return { success: true as const, data: renderSource(row) };
      },
    }),
    route({
      method: 'PUT',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Update a data source',
      description:
        'Changes the fields that are sent. `config` is replaced as a whole; `"********"` in the place of a secret keeps it. The type stays. After a change of `config` the source is unchecked. Of a source that takes rows of the shop or brings some, only a key with the scopes of the shop may change it.',
      params: SourceId,
      body: ChangedSource,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(SavedSource),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { name: 'shop, read replica' },
        answer: { success: true, data: { ...EXAMPLE_SOURCE, name: 'shop, read replica', warnings: [] } },
      },
      handle: async ({ params, body, principal }) => {
        const { row, warnings } = await sources.update(principal, params.id, body);
        return { success: true as const, data: { ...renderSource(row), warnings } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/{id}`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Delete a data source',
      description: 'Refused as long as a synchronization uses it. The system itself is not touched.',
      params: SourceId,
      answer: Success(Source),
      errors: ['NOT_FOUND', 'IN_USE'],
      examples: { answer: { success: true, data: EXAMPLE_SOURCE } },
      handle: async ({ params, principal }) => ({
        success: true as const,
        data: renderSource(await db.write(deleteSource, { actor: principal.actor(), now: clock(), id: params.id })),
      }),
    }),
    route({
      method: 'POST',
      path: `${BASE}/{id}/check`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Test the connection of a data source',
      description:
        'Connects and says in plain words what is wrong; what was found becomes the status of the source. The answer is 200 whether it works or not: look at `ok`.',
      params: SourceId,
      answer: Success(CheckResult),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_CHECK } },
      handle: async ({ params, principal }) => ({ success: true as const, data: await sources.check(principal, params.id) }),
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}/streams`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Discover tables, files or resources',
      description:
        'With their fields, types, keys and possible cursors, by name. It looks into the system at this moment; what the system has against it is a 409 in words.',
      params: SourceId,
      query: Strict({
        ...PAGING,
        q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only streams with this in their name, in any case.' })),
      }),
      answer: ListOf(Stream),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { answer: { success: true, data: [EXAMPLE_STREAM], total: 1, next_cursor: null } },
      handle: async ({ params, query, principal }) => {
        const { limit, offset, after } = pageOf(query, (name) => name !== '');
        const wanted = query.q?.toLowerCase() ?? '';
        const all = (await sources.ask(principal, params.id, { ask: 'streams' }))
          .filter(({ name }) => name.toLowerCase().includes(wanted))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        const start = after === undefined ? offset : all.findIndex(({ name }) => name > after);
        const page = start === -1 ? [] : all.slice(start, start + limit);
        const isLast = start === -1 || start + limit >= all.length;
        const data = page.map(({ name, kind, writable, key, cursors, estimatedRows, estimatedBytes, fields, note, unusable }) => ({
          name,
          kind,
          writable,
          readable: unusable === undefined,
          note: unusable === undefined ? (note ?? null) : sentence(`It cannot be read: ${unusable}`),
          key: [...key],
          cursors: [...cursors],
          fields: fields.map(shownField),
          estimated_rows: estimatedRows,
          estimated_bytes: estimatedBytes ?? null,
        }));
        return { success: true as const, data, total: all.length, next_cursor: isLast ? null : cursorOf(data.at(-1)?.name ?? '') };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}/streams/{name}/sample`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Show some rows of a stream',
      description:
        'The name is that of the discovery, percent-encoded. Numbers are written with all their digits; a very long value is cut and its field named in `truncated`. Where a synchronization brings rows of the shop to the stream, or takes them from it, the key needs the scope to read those too.',
      params: Strict({ id: SourceId.properties?.['id'] as typeof Name, name: Name }),
      query: Strict({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many rows to show.' })),
      }),
      answer: Success(Sample),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { answer: { success: true, data: EXAMPLE_SAMPLE } },
      handle: async ({ params, query, principal }) => {
        const source = await findSource(db.read, params.id);
        if (source) await demandForSample(db.read, principal, source, params.name);
        const question = { ask: 'sample', stream: params.name, limit: query.limit ?? 10 } as const;
        const { fields, ...sample } = await sources.ask(principal, params.id, question);
        principal.tellRead({ action: 'source.sampled', objectId: params.id, rows: sample.rows.length, details: { stream: params.name } });
        return { success: true as const, data: { fields: fields.map(shownField), ...sample } };
      },
    }),
  ];
}

const Name = Type.String({ description: 'The name of the stream.', examples: ['public.customers'] });
