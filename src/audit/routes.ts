import { Type } from '../lib/schema.ts';
import { type Connection, type Database, first } from '../db/database.ts';
import { join, sql } from '../db/sql.ts';
import type { AuditTable } from '../db/tables.ts';
import { type PageRequest, pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { JsonText, ListOf, Named, Nullable, PAGING, Strict, Time } from '../http/schemas.ts';
import { isId } from '../lib/ids.ts';

const Audit = Named('AuditEntry', {
  id: Type.String({ examples: ['aud_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  at: Time(),
  actor: Type.String({
    description:
      'Who it was: the id of the key, or issuer and subject of the token; `operator` for the key of `SYNCLINE_ADMIN_KEY`, `command line`, `first start`; `unknown` for refused keys.',
  }),
  action: Type.String({
    examples: [
      'key.created',
      'source.updated',
      'run.started',
      'source.sampled',
      'rejects.read',
      'orders.exported',
      'backup.made',
      'key.refused',
    ],
  }),
  object_id: Type.String({ description: 'What it was done to; empty when that has no id. Of `key.refused` the address.' }),
  details: JsonText(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'What belongs to the action. Of reads: how many `times` since the entry before, and how many `rows`. `by` is `an assistant` when one did it by way of `/mcp`, in the name of the key; `session` is the sign-in of the browser it came from.',
      },
    ),
  ),
  address: Nullable(
    Type.String({ description: 'The address of the client; null for what came by no request.', examples: ['203.0.113.7'] }),
  ),
  request_id: Nullable(Type.String({ description: 'The `X-Request-Id` of the request; of several reads in one entry that of the first.' })),
});

const EXAMPLE_ENTRY = {
  id: 'aud_01kfa0v2m3f8rb4v3k7m2t9xqe',
  at: '2026-11-01T09:30:00.000Z',
  actor: 'key_01kf9zzz5tf3sv8q0d1h6c2w7m',
  action: 'key.created',
  object_id: 'key_01kfa0v2m3f8rb4v3k7m2t9xqe',
  details: { name: 'web shop', scopes: ['orders:write'], expires_at: null },
  address: '203.0.113.7',
  request_id: 'req_5f0c1b2a3d1',
};

const FILTERS = {
  object_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only what was done to this object.' })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 600, description: 'Only what this key, or another actor, has done.' })),
  action: Type.Optional(Type.String({ pattern: '^[a-z_.]{1,60}$', description: 'Only this action.' })),
};

type AuditFilter = Partial<Record<keyof typeof FILTERS, string>>;

export function auditRoutes(db: Database): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/audit',
      scope: 'admin',
      tag: 'Keys',
      summary: 'List audit entries, newest first',
      description:
        'Changes are written in the transaction that makes them. Reads of samples, rejects and whole orders are written within a second; when the same key reads the same again, ' +
        'the further reads are counted together, and told a minute later and then once an hour.',
      query: Strict({ ...PAGING, ...FILTERS }),
      answer: ListOf(Audit),
      examples: { answer: { success: true, data: [EXAMPLE_ENTRY], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('aud', key));
        const { rows, total } = await listAudit(db.read, query, page);
        return pageAnswer(rows, total, page);
      },
    }),
  ];
}

async function listAudit(db: Connection, { object_id, actor, action }: AuditFilter, { limit, offset, after }: PageRequest) {
  const matching = join(
    [
      sql`true`,
      ...(object_id === undefined ? [] : [sql`object_id = ${object_id}`]),
      ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
      ...(action === undefined ? [] : [sql`action = ${action}`]),
    ],
    ' and ',
  );
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from audit where ${matching}`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const rows = await db.all<AuditTable>(sql`
    select id, at, actor, action, object_id, details, address, request_id from audit
    where ${matching} and ${position} order by id desc limit ${limit + 1} offset ${offset}`);
  return { rows, total: counted?.total ?? 0 };
}
