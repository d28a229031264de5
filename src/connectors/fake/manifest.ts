import { type Static, Type } from '../../lib/schema.ts';
import { CANONICAL_TYPES, type CanonicalType, type Value } from '../canonical.ts';
import type { Manifest } from '../contract.ts';
import type { ErrorKind } from '../../outside/errors.ts';

/**
 * Where a fault strikes. `write` and `apply` are before anything is kept; `commit` is when all is kept but nobody is told yet; `hold` and `follow`
 * are of the log.
 */
const MOMENTS = ['open', 'check', 'discover', 'read', 'write', 'commit', 'finish', 'hold', 'follow', 'apply'] as const;
export type FaultMoment = (typeof MOMENTS)[number];
const KINDS: readonly ErrorKind[] = ['config', 'auth', 'transient', 'data', 'gap', 'fenced', 'bug'];

const Fault = Type.Object(
  {
    at: Type.Unsafe<FaultMoment>(Type.String({ enum: MOMENTS, title: 'When', description: 'What was being done when it fails.' })),
    stream: Type.Optional(Type.String({ title: 'Stream', description: 'Only for this stream.' })),
    after_batches: Type.Optional(
      Type.Integer({ minimum: 0, title: 'After batches', description: 'How many batches of one read or one writer go well before.' }),
    ),
    kind: Type.Unsafe<ErrorKind>(Type.String({ enum: KINDS, title: 'Kind', description: 'The kind of the error.' })),
    code: Type.Optional(Type.String({ title: 'Code', description: 'The code of the error.' })),
    message: Type.Optional(Type.String({ title: 'Message', description: 'The message of the error.' })),
    times: Type.Optional(Type.Integer({ minimum: 1, title: 'Times', description: 'How often; without it, always.' })),
    hang: Type.Optional(Type.Boolean({ title: 'Hang', description: 'Does not answer at all until it is told to stop.' })),
    ends: Type.Optional(Type.Boolean({ title: 'Ends', description: 'Ends the thread that it works in, with all that is in it.' })),
  },
  { additionalProperties: false },
);
export type Fault = Static<typeof Fault>;

const StreamSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, title: 'Name', description: 'The name of the stream.' }),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, title: 'Name', description: 'The name of the field.' }),
          type: Type.Unsafe<CanonicalType>(Type.String({ enum: CANONICAL_TYPES, title: 'Type', description: 'Its canonical type.' })),
          nullable: Type.Optional(Type.Boolean({ title: 'Nullable', description: 'Whether it can be null; true without it.' })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, title: 'Fields', description: 'The fields in order.' },
    ),
    key: Type.Optional(Type.Array(Type.String(), { title: 'Key', description: 'The fields that tell rows apart.' })),
    cursors: Type.Optional(Type.Array(Type.String(), { title: 'Cursors', description: 'The fields that can serve as cursor.' })),
    rows: Type.Optional(
      Type.Unsafe<Value[][]>(Type.Array(Type.Array(Type.Unknown()), { title: 'Rows', description: 'Canonical texts and nulls.' })),
    ),
    generate: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 0, title: 'Count', description: 'How many rows are made.' }),
          seed: Type.Optional(Type.Integer({ title: 'Seed', description: 'Another seed makes other values.' })),
        },
        { additionalProperties: false, title: 'Generate', description: 'Rows made of numbers, the same each time.' },
      ),
    ),
    endless: Type.Optional(Type.Boolean({ title: 'Endless', description: 'A read begins anew at its end, without end.' })),
  },
  { additionalProperties: false },
);
export type FakeStreamConfig = Static<typeof StreamSchema>;

const FakeConfig = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      title: 'Name',
      description: 'Sessions of the same name see the same streams, for as long as the process lives.',
    }),
    streams: Type.Array(StreamSchema, { default: [], title: 'Streams', description: 'What is there at the beginning.' }),
    fail: Type.Array(Fault, { default: [], title: 'Faults', description: 'What goes wrong, and when.' }),
    delay_ms: Type.Integer({ default: 0, minimum: 0, title: 'Delay', description: 'How long every answer takes, in milliseconds.' }),
  },
  { additionalProperties: false },
);
export type FakeConfig = Static<typeof FakeConfig>;

export const manifest: Manifest = {
  type: 'fake',
  category: 'other',
  keywords: ['test'],
  title: 'Fake',
  description: 'Streams in the memory of this process, with any schema and any failure at any point. For tests.',
  config: FakeConfig,
  abilities: {
    read: true,
    write: ['append', 'upsert', 'mirror'],
    incremental: true,
    resumable: true,
    transactional: true,
    checkpoints: true,
    createsStreams: true,
    deletes: true,
    filters: true,
    log: true,
    applies: true,
    notes: 'Everything is forgotten when the process ends.',
  },
  naming: {},
};
