import { Type } from '../../lib/schema.ts';
import { type Route, route } from '../../http/route.ts';
import { JsonText, ListOf, Nullable, OneOf, PAGING, Strict } from '../../http/schemas.ts';
import { cursorOf, pageOf } from '../../http/paging.ts';
import { manifests } from '../../connectors/registry.ts';

const Connector = Strict({
  type: Type.String({ description: 'The name in `type` of a source.', examples: ['postgres'] }),
  title: Type.String({ examples: ['PostgreSQL'] }),
  description: Type.String(),
  config: JsonText(Type.Object({}, { additionalProperties: true, description: 'A JSON Schema; what is `writeOnly` is a secret.' })),
  abilities: Strict({
    read: Type.Boolean(),
    write: Type.Array(OneOf(['append', 'upsert', 'mirror']), { description: 'How it can be written to; empty when it cannot.' }),
    incremental: Type.Boolean({ description: 'Reads only what is new or changed.' }),
    resumable: Type.Boolean({ description: 'A read that was cut off goes on where it stopped.' }),
    transactional: Type.Boolean({ description: 'Rows and checkpoint are written in one transaction: every row exactly once.' }),
    keyless_mirror: Type.Boolean({ description: 'Mirrors streams that have no key, too.' }),
    ranges: Type.Boolean({ description: 'A large stream can be read in ranges, by several nodes at the same time.' }),
    parts: Type.Boolean({ description: 'A large stream can be written in parts, by several nodes at the same time.' }),
    creates_streams: Type.Boolean({ description: 'Makes tables or files that are missing, and adds fields to them.' }),
    deletes: Type.Boolean(),
    filters: Type.Boolean({ description: 'Filters are applied by the system itself.' }),
    notes: Nullable(Type.String()),
  }),
});

const EXAMPLE = {
  type: 'postgres',
  title: 'PostgreSQL',
  description: 'Tables and views of a PostgreSQL database.',
  config: { type: 'object', properties: { host: { type: 'string', title: 'Host' } }, required: ['host'] },
  abilities: {
    read: true,
    write: ['append', 'upsert', 'mirror'],
    incremental: true,
    resumable: true,
    transactional: true,
    keyless_mirror: true,
    ranges: true,
    parts: true,
    creates_streams: true,
    deletes: true,
    filters: true,
    notes: null,
  },
};

export function connectorRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/datasync/connectors',
      scope: 'datasync:read',
      tag: 'Sources',
      summary: 'List the types of sources, with their configuration and abilities',
      query: Strict(PAGING),
      answer: ListOf(Connector),
      examples: { answer: { success: true, data: [EXAMPLE], total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const { limit, offset, after } = pageOf(query, (type) => manifests.some((manifest) => manifest.type === type));
        const start = after === undefined ? offset : manifests.findIndex(({ type }) => type === after) + 1;
        const data = manifests.slice(start, start + limit).map(({ type, title, description, config, abilities }) => ({
          type,
          title,
          description,
          config: JSON.stringify(config),
          abilities: {
            read: abilities.read,
            write: [...abilities.write],
            incremental: abilities.incremental,
            resumable: abilities.resumable,
            transactional: abilities.transactional,
            keyless_mirror: abilities.keylessMirror ?? false,
            ranges: abilities.ranges ?? false,
            parts: abilities.parts ?? false,
            creates_streams: abilities.createsStreams,
            deletes: abilities.deletes,
            filters: abilities.filters,
            notes: abilities.notes ?? null,
          },
        }));
        const isLast = start + limit >= manifests.length;
        return { success: true as const, data, total: manifests.length, next_cursor: isLast ? null : cursorOf(data.at(-1)?.type ?? '') };
      },
    }),
  ];
}
