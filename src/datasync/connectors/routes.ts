import { isFoundBy, promisesOf } from '../../connectors/catalogue.ts';
import { CATEGORIES } from '../../connectors/categories.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { type Route, route } from '../../http/route.ts';
import { JsonText, ListOf, Named, Nullable, OneOf, PAGING, Strict } from '../../http/schemas.ts';
import { cursorOf, pageOf } from '../../http/paging.ts';
import type { Manifest } from '../../connectors/contract.ts';
import type { NameRule as Rule } from '../../connectors/naming.ts';
import { manifests } from '../../connectors/registry.ts';
import { SHOP_ROWS } from '../../connectors/shop-streams.ts';

const NameRule = Named('NameRule', {
  max_bytes: Nullable(Type.Integer({ description: 'Names with more bytes, in UTF-8, cannot be.' })),
  max_characters: Nullable(Type.Integer({ description: 'Names with more characters cannot be.' })),
  pattern: Nullable(Type.String({ description: 'A regular expression: names in which it is found cannot be.' })),
  why: Type.String({ description: 'In words; `{name}` stands for the name, and `{size}` for how large it is.' }),
});

const Naming = Named('Naming', {
  folds_case: Type.Boolean({ description: 'Upper and lower case are the same name.' }),
  default_schema: Nullable(
    Type.String({
      description: 'Streams are called `schema.table`, and this is where tables without a schema are; null where there are no schemas.',
    }),
  ),
  streams: Type.Array(NameRule, { description: 'What a stream that is made there cannot be called.' }),
  fields: Type.Array(NameRule, { description: 'What a field that is added there cannot be called.' }),
});

const Connector = Named('Connector', {
  type: Type.String({ description: 'The name in `type` of a source.', examples: manifests.slice(0, 1).map(({ type }) => type) }),
  title: Type.String({ examples: manifests.slice(0, 1).map(({ title }) => title) }),
  description: Type.String(),
  category: OneOf(CATEGORIES, { description: 'What kind of system it is.' }),
  keywords: Type.Array(Type.String(), { description: 'Other words by which it is found.' }),
  promises: Type.Array(Type.String(), { description: 'What can be relied on when it is read, written and followed, in words.' }),
  config: JsonText(Type.Object({}, { additionalProperties: true, description: 'A JSON Schema; what is `writeOnly` is a secret.' })),
  abilities: Named('Abilities', {
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
    tells_changes: Type.Boolean({ description: 'Tells when something has changed: a schedule can be `on_change`.' }),
    tells_deletions: Type.Boolean({ description: 'An incremental read tells of rows that were deleted, too.' }),
    log: Type.Boolean({ description: 'Its log can be followed: it can be the source of live synchronizations.' }),
    applies: Type.Boolean({ description: 'Takes changes as a log tells them: it can be the target of live synchronizations.' }),
    widens: Type.Boolean({ description: 'Makes a field of whole numbers one of decimals when these come.' }),
    differences: Type.Boolean({ description: 'Makes a mirror of what differs alone, in one transaction.' }),
    digests: Type.Boolean({ description: 'Digests rows itself, so that equal ones need not be read when both ends are compared.' }),
    keeps_tables: Type.Boolean({ description: 'Syncline keeps tables of its own in it, which are no streams: `_syncline_…`.' }),
    undo: Type.Boolean({ description: 'Keeps what runs replace, so that they can be taken back.' }),
    structure: Type.Boolean({
      description:
        'Between two that have it, `structure: "full"` brings keys, indexes and the like along: all that there is between two of the same type, between others what both know.',
    }),
    notes: Nullable(Type.String()),
  }),
  naming: Naming,
  shop_streams: Type.Array(Strict({ name: Type.String(), rows: OneOf(SHOP_ROWS) }), {
    description:
      "Of Syncline's own shop: its streams, and whose rows each has. Moving or seeing them needs the scopes of these. Else empty.",
  }),
});

function rendered({
  type,
  title,
  description,
  category,
  keywords,
  config,
  abilities,
  naming,
  shopRows,
}: Manifest): Static<typeof Connector> {
  return {
    type,
    title,
    description,
    category: category ?? 'other',
    keywords: [...(keywords ?? [])],
    promises: promisesOf(abilities),
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
      tells_changes: abilities.tellsChanges ?? false,
      tells_deletions: abilities.tellsDeletions ?? false,
      log: abilities.log ?? false,
      applies: abilities.applies ?? false,
      widens: abilities.widens ?? false,
      differences: abilities.differences ?? false,
      digests: abilities.digests ?? false,
      keeps_tables: abilities.keepsTables ?? false,
      undo: abilities.undo ?? false,
      structure: abilities.structure !== undefined,
      notes: abilities.notes ?? null,
    },
    naming: {
      folds_case: naming.foldsCase ?? false,
      default_schema: naming.schemas?.default ?? null,
      streams: (naming.streams ?? []).map(renderedRule),
      fields: (naming.fields ?? []).map(renderedRule),
    },
    shop_streams: Object.entries(shopRows ?? {}).map(([name, rows]) => ({ name, rows })),
  };
}

function renderedRule({ maxBytes, maxCharacters, pattern, why }: Rule): Static<typeof NameRule> {
  return { max_bytes: maxBytes ?? null, max_characters: maxCharacters ?? null, pattern: pattern ?? null, why };
}

const EXAMPLES = manifests.slice(0, 1).map((manifest) => ({
  ...rendered(manifest),
  // Only a part of it.
  config: { type: 'object', properties: { host: { type: 'string', title: 'Host' } }, required: ['host'] },
}));

export function connectorRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/datasync/connectors',
      scope: 'datasync:read',
      tag: 'Sources',
      summary: 'List the types of sources, with their configuration and abilities',
      query: Strict({
        ...PAGING,
        q: Type.Optional(
          Type.String({
            maxLength: 200,
            description:
              'Only those that these words mean, each of them: names, products, formats, and abilities such as `live` or `mirror`.',
          }),
        ),
      }),
      answer: ListOf(Connector),
      examples: { answer: { success: true, data: EXAMPLES, total: 1, next_cursor: null } },
      handle: async ({ query }) => {
        const { limit, offset, after } = pageOf(query, (type) => manifests.some((manifest) => manifest.type === type));
        const words = query.q?.trim() ?? '';
        const found = words === '' ? manifests : manifests.filter((manifest) => isFoundBy(manifest, words));
        const start = after === undefined ? offset : found.findIndex(({ type }) => type === after) + 1;
        const data = found.slice(start, start + limit).map(rendered);
        const isLast = start + limit >= found.length;
        return { success: true as const, data, total: found.length, next_cursor: isLast ? null : cursorOf(data.at(-1)?.type ?? '') };
      },
    }),
  ];
}
