import { Type } from '../lib/schema.ts';
import { type Connection, type Database, first } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { AuditTable } from '../db/tables.ts';
import { type Page, pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { JsonText, ListOf, PAGING, Strict, Time } from '../http/schemas.ts';
import { isId } from '../lib/ids.ts';

const Audit = Strict({
  id: Type.String({ examples: ['aud_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  at: Time(),
  actor: Type.String({ description: 'The id of the key, or the subject of the token, that did it.' }),
  action: Type.String({ examples: ['key.created', 'key.rotated', 'key.revoked'] }),
  object_id: Type.String(),
  details: JsonText(Type.Object({}, { additionalProperties: true })),
});

const EXAMPLE_ENTRY = {
  id: 'aud_01kfa0v2m3f8rb4v3k7m2t9xqe',
  at: '2026-11-01T09:30:00.000Z',
  actor: 'key_01kf9zzz5tf3sv8q0d1h6c2w7m',
  action: 'key.created',
  object_id: 'key_01kfa0v2m3f8rb4v3k7m2t9xqe',
  details: { name: 'web shop', scopes: ['orders:write'], expires_at: null },
};

export function auditRoutes(db: Database): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/audit',
      scope: 'admin',
      tag: 'Keys',
      summary: 'List administrative changes, newest first',
      query: Strict({ ...PAGING, object_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only changes to this object.' })) }),
      answer: ListOf(Audit),
      examples: { answer: { success: true, data: [EXAMPLE_ENTRY], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const page = pageOf(query, (key) => isId('aud', key));
        const { rows, total } = await listAudit(db.read, query.object_id, page);
        return pageAnswer(rows, total, page);
      },
    }),
  ];
}

async function listAudit(db: Connection, objectId: string | undefined, { limit, offset, after }: Page) {
  const matching = objectId === undefined ? sql`true` : sql`object_id = ${objectId}`;
  const counted = await first<{ total: number }>(db, sql`select count(*) as total from audit where ${matching}`);
  const position = after === undefined ? sql`true` : sql`id < ${after}`;
  const rows = await db.all<AuditTable>(sql`
    select * from audit where ${matching} and ${position} order by id desc limit ${limit + 1} offset ${offset}`);
  return { rows, total: counted?.total ?? 0 };
}
