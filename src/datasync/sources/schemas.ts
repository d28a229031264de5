import { Type } from '../../lib/schema.ts';
import { JsonText, Named, Nullable, OneOf, Time } from '../../http/schemas.ts';
import { CANONICAL_TYPES } from '../../connectors/canonical.ts';
import { STREAM_KINDS, type StreamKind } from '../../connectors/stream-kinds.ts';

const ConfigInput = Type.Object(
  {},
  { additionalProperties: true, description: 'What the connector needs; `GET /datasync/connectors` shows the schema of each type.' },
);
export const EXAMPLE_NEW_SOURCE = {
  name: 'shop database',
  type: 'postgres',
  config: { host: 'db.example.com', database: 'shop', user: 'reader', password: 'hunter2' },
};

const { name: EXAMPLE_NAME, type: EXAMPLE_TYPE } = EXAMPLE_NEW_SOURCE;
const TypeName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: `A connector, such as \`${EXAMPLE_TYPE}\`.`,
  examples: [EXAMPLE_TYPE],
});
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.', examples: [EXAMPLE_NAME] });

/** A configuration may hold a whole manifest. */
export const CONFIG_BODY_LIMIT = 16 * 1024 * 1024;

export const NewSource = Named('NewSource', { name: Name, type: TypeName, config: ConfigInput });

export const ChangedSource = Named('ChangedSource', {
  name: Type.Optional(Name),
  type: Type.Optional(TypeName),
  config: Type.Optional(ConfigInput),
});

const UNSAVED_MEMBERS = {
  type: TypeName,
  config: ConfigInput,
  id: Type.Optional(
    Type.String({
      description: 'A stored source whose secrets stand for `"********"` in the configuration: to try a change before saving it.',
    }),
  ),
};

export const UnsavedSource = Named('UnsavedSource', UNSAVED_MEMBERS);

export const UnsavedSample = Named('UnsavedSample', {
  ...UNSAVED_MEMBERS,
  stream: Type.String({ minLength: 1, maxLength: 1000, description: 'The name of the stream.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many rows to show.' })),
});

export const Outline = Named('Outline', {
  forms: Type.Array(
    Named('OutlineForm', {
      member: Type.String({ description: 'The member of the configuration that it is the form of.' }),
      schema: JsonText(Type.Object({}, { additionalProperties: true, description: 'A JSON Schema; what is `writeOnly` is a secret.' })),
    }),
    { description: 'The forms of what may be anything by the schema of the connector.' },
  ),
  streams: Type.Array(Type.String(), { description: 'The streams that can be read.' }),
  is_partial: Type.Boolean({ description: 'Only the system itself knows the names of more.' }),
  unreadable: Type.Array(
    Named('UnreadableStream', {
      name: Type.String(),
      needs: Type.Array(Type.String(), { description: 'What it lacks, each by its name, such as a class.' }),
      reason: Type.String({ description: 'The same in words.' }),
    }),
    { description: 'The streams that cannot be read.' },
  ),
});

const SOURCE_MEMBERS = {
  id: Type.String({ examples: ['src_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  name: Type.String(),
  type: Type.String(),
  config: JsonText(
    Type.Object({}, { additionalProperties: true, description: 'Secrets are shown as `"********"`; sent back, they are kept.' }),
  ),
  status: OneOf(['unchecked', 'ok', 'failing'], { description: 'What the last check has found.' }),
  status_message: Nullable(Type.String()),
  checked_at: Nullable(Time()),
  created_at: Time(),
  updated_at: Time(),
};

export const Source = Named('Source', SOURCE_MEMBERS);

/** What saving answers. */
export const SavedSource = Named('SavedSource', {
  ...SOURCE_MEMBERS,
  warnings: Type.Array(Type.String(), {
    description: 'What of it does not work, as far as its configuration tells by itself: streams that cannot be read, and why.',
  }),
});

const Failure = Named('CheckFailure', {
  kind: OneOf(['config', 'auth', 'transient', 'data', 'gap', 'fenced', 'bug'], {
    description: 'What it takes to recover; see the documentation.',
  }),
  code: Type.String({ examples: ['HOST_UNKNOWN'] }),
  message: Type.String(),
  hint: Nullable(Type.String({ description: 'What to do next.' })),
  field: Nullable(Type.String({ description: 'The member of the configuration that is to blame.', examples: ['config.host'] })),
});

export const CheckResult = Named('CheckResult', {
  ok: Type.Boolean(),
  message: Type.String({ examples: ['PostgreSQL 15.4, database shop'] }),
  warnings: Type.Array(Type.String()),
  live_needs: Nullable(
    Type.Array(Type.String(), {
      description:
        'What is missing before its changes can be followed live, each with what to do; empty when nothing is. Null where there is no log to follow, or the connection does not work.',
    }),
  ),
  error: Nullable(Failure),
  duration_ms: Type.Integer(),
});

const Field = Named('StreamField', {
  name: Type.String(),
  type: OneOf(CANONICAL_TYPES),
  nullable: Type.Boolean(),
  native: Nullable(Type.String({ description: "The system's own type." })),
});

export const Stream = Named('Stream', {
  name: Type.String({ examples: ['public.customers'] }),
  kind: OneOf(Object.keys(STREAM_KINDS) as StreamKind[]),
  fields: Type.Array(Field),
  key: Type.Array(Type.String(), { description: 'The fields that tell rows apart.' }),
  cursors: Type.Array(Type.String(), { description: 'Fields that can tell what is new, the best first.' }),
  writable: Type.Boolean(),
  readable: Type.Boolean({ description: 'Whether it can be read. Where it cannot, `note` says why.' }),
  note: Nullable(Type.String({ description: 'What is worth knowing of this stream.' })),
  estimated_rows: Nullable(Type.Number()),
  estimated_bytes: Nullable(
    Type.Number({ description: 'How much room its rows take, as the system guesses; null where it does not tell.' }),
  ),
});

export const Sample = Named('Sample', {
  fields: Type.Array(Field),
  rows: Type.Array(JsonText(Type.Object({}, { additionalProperties: true }))),
  truncated: Type.Array(Type.String(), { description: 'Fields of which a value was too long to be shown whole.' }),
  rejects: Type.Array(Type.String(), { description: 'Why some rows could not be read.' }),
});

export const EXAMPLE_SOURCE = {
  id: 'src_01kfa0v2m3f8rb4v3k7m2t9xqe',
  ...EXAMPLE_NEW_SOURCE,
  config: { ...EXAMPLE_NEW_SOURCE.config, password: '********' },
  status: 'ok',
  status_message: 'PostgreSQL 15.4, database shop',
  checked_at: '2026-11-01T09:31:00.000Z',
  created_at: '2026-11-01T09:30:00.000Z',
  updated_at: '2026-11-01T09:30:00.000Z',
};

export const EXAMPLE_CHECK = {
  ok: true,
  message: 'PostgreSQL 15.4, database shop',
  warnings: [],
  live_needs: [],
  error: null,
  duration_ms: 38,
};

const EXAMPLE_FIELD = { name: 'id', type: 'int64', nullable: false, native: 'bigint' };

export const EXAMPLE_STREAM = {
  name: 'public.customers',
  kind: 'table',
  fields: [EXAMPLE_FIELD, { name: 'email', type: 'text', nullable: true, native: 'text' }],
  key: ['id'],
  cursors: ['id'],
  writable: true,
  readable: true,
  note: null,
  estimated_rows: 1200,
  estimated_bytes: 163840,
};

export const EXAMPLE_SAMPLE = {
  fields: EXAMPLE_STREAM.fields,
  rows: [{ id: 1, email: 'ada@example.com' }],
  truncated: [],
  rejects: [],
};

export const EXAMPLE_OUTLINE = {
  forms: [
    {
      member: 'settings',
      schema: {
        type: 'object',
        properties: { api_key: { type: 'string', title: 'API key', writeOnly: true, format: 'password' } },
        required: ['api_key'],
      },
    },
  ],
  streams: ['customers'],
  is_partial: false,
  unreadable: [
    {
      name: 'reports',
      needs: ['source_shop.components.ReportExtractor'],
      reason: 'It needs custom code in Python, which Syncline does not run: source_shop.components.ReportExtractor.',
    },
  ],
};
