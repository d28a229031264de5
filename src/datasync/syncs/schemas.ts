import { oneMember } from '../../lib/member-choice.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { JsonText, Named, Nullable, OneOf, SpanInput, Strict, Time } from '../../http/schemas.ts';
import { CANONICAL_TYPES } from '../../connectors/canonical.ts';
import type { FilterValue } from '../../engine/plan/defaults.ts';
import type { SyncDefinition } from '../../engine/definition.ts';
import { EXAMPLE_RUN, LagSchema, Run } from '../runs/schemas.ts';
import { NewSchedule, Schedule } from './schedule-schemas.ts';
import { EXAMPLE_VERIFIED, VerifiedSchema, VerifySchema } from './verified-schemas.ts';
import { NewUndoSchema, UndoSchema } from './undo-schemas.ts';
import { HEALTH_CODES, HEALTHS } from './health.ts';

const MAX_STREAMS = 500;
const MAX_FIELDS = 2000;
// Names of tables and columns are short; those of files may be long paths.
const MAX_NAME = 1000;

const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.', examples: ['customers to the warehouse'] });
const SourceId = Type.String({ description: 'The source that is read.', examples: ['src_01kfa0v2m3f8rb4v3k7m2t9xqe'] });
const TargetId = Type.String({ description: 'The source that is written to.', examples: ['src_01kfa0w7d2s5jf6z9c1n8b4ykh'] });
const FieldName = Type.String({ minLength: 1, maxLength: MAX_NAME });
const StreamName = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME, description, examples: ['public.customers'] });

const Mode = OneOf(['mirror', 'incremental', 'append', 'cdc'], {
  description:
    '`mirror`: the target becomes equal to the source. `incremental`: new and changed rows, found by `cursor`, written by `key`. `append`: new rows are added, never changed. `cdc`: live, from the log of the source: every committed change is at the target within a moment, deletions included. All streams of a synchronization are `cdc`, or none.',
});
const Direction = OneOf(['source_to_target', 'two_way'], { description: '`two_way` is not there yet and is refused.' });
const Deletes = OneOf(['delete', 'mark', 'keep'], {
  description: 'What happens at the target to rows that are deleted at the source: `mark` sets `_deleted_at`.',
});
const OnReject = OneOf(['quarantine', 'fail'], {
  description: 'What happens when a row cannot be written: the row is rejected and the others go on, or the stream fails.',
});
const SchemaChanges = OneOf(['apply', 'ignore', 'stop'], {
  description: 'What happens when the fields of the source change: apply it to the target, ignore new fields, or stop the run.',
});
const Structure = OneOf(['data', 'full'], {
  default: 'data',
  description:
    'What tables get that are made at the target. `data`: columns and a key. `full`, between databases that know structures (`abilities.structure` of their connectors): NOT NULL, defaults, sequences, keys, indexes, checks, comments and foreign keys of the source too, between different systems what both know; indexes and foreign keys are made when the rows are there. What stays behind is told in `warnings` of the stream. A table that is there is left as it is. Expressions of the source run at the target: choose it only for a source that you trust.',
});
const OnGap = OneOf(['load', 'stop'], {
  default: 'load',
  description:
    'Of a live synchronization: what happens when changes are lost at the source. `load`: the streams concerned are loaded anew by themselves. `stop`: it is paused, and a person decides.',
});
const MaxRetained = Type.String({
  description:
    'Of a live synchronization: how much of its log the source may keep for it at most, such as `10 GB`. Beyond it the source is let go, and its streams are loaded anew.',
  examples: ['10 GB'],
});
const MaxRetainedInput = Type.Unsafe<string | number>({
  anyOf: [
    Type.String({ maxLength: 30 }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'A number of bytes.' }),
  ],
  default: '10 GB',
  description:
    'Of a live synchronization: how much of its log the source may keep for it at most: a number and `MB`, `GB` or `TB`, or a number of bytes; at least 1 MB. Beyond it the source is let go, and its streams are loaded anew.',
  examples: ['10 GB'],
});
const CanonicalType = OneOf(CANONICAL_TYPES, { description: 'Casts the value; one that has no such value is rejected.' });

const FIELD = {
  from: Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'A field of the source.' }),
  expression: Type.String({
    minLength: 1,
    maxLength: 4000,
    description: 'In place of `from`: a CEL expression over the fields of the source.',
    examples: ['first_name + " " + last_name'],
  }),
};

const FieldInput = Named(
  'NewSynchronizationField',
  {
    from: Type.Optional(FIELD.from),
    to: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'The field of the target; as `from` when left out.' })),
    expression: Type.Optional(FIELD.expression),
    type: Type.Optional(CanonicalType),
  },
  oneMember('from', 'expression'),
);

const Operator = OneOf(['=', '!=', '<', '<=', '>', '>=', 'in', 'is_null', 'not_null']);
// A larger number may have lost digits on its way through JSON: it is sent as text.
const EXACT = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const SCALAR = [Type.String({ maxLength: 10_000 }), Type.Number(EXACT), Type.Boolean()];

const FilterInput = Named('NewSynchronizationFilter', {
  field: FieldName,
  op: Operator,
  value: Type.Optional(
    Type.Unsafe<FilterValue | FilterValue[]>({
      anyOf: [...SCALAR, Type.Array(Type.Unsafe<FilterValue>({ anyOf: SCALAR }), { maxItems: 1000 })],
      description: 'A list for `in`; left out for `is_null` and `not_null`.',
    }),
  ),
});

const Key = Type.Array(FieldName, { maxItems: 50, uniqueItems: true, description: 'Fields of the source that identify a row.' });

const StreamInput = Named('NewSynchronizationStream', {
  source: StreamName('The stream that is read, as discovery names it.'),
  target: Type.Optional(StreamName('The stream that is written; the same name when left out. It is made when it is missing.')),
  mode: Type.Optional(Mode),
  key: Type.Optional(Key),
  cursor: Type.Optional(Nullable(FieldName)),
  fields: Type.Optional(Nullable(Type.Array(FieldInput, { minItems: 1, maxItems: MAX_FIELDS }))),
  filter: Type.Optional(Type.Array(FilterInput, { maxItems: 100 })),
  deletes: Type.Optional(Deletes),
});

const MaxDeletePercent = Type.Number({
  minimum: 0,
  maximum: 100,
  default: 20,
  description: 'A mirror that would delete a larger part of the target’s rows needs approval.',
});
const AllowEmpty = Type.Boolean({
  default: false,
  description: 'Whether a mirror may find no rows where there were some, without approval.',
});

const ExpectEvery = Nullable(
  SpanInput('30m, 2h or 1d; at least 1s, at most 366d', {
    description:
      'How often a run is expected to succeed: a number and `s`, `m`, `h` or `d`. When none has for so long, the synchronization is late, and alerts tell of it. Null when nothing is expected.',
    examples: ['1h'],
  }),
);

const OPTIONAL = {
  direction: Type.Optional(Direction),
  schedule: Type.Optional(NewSchedule),
  on_reject: Type.Optional(OnReject),
  guard: Type.Optional(Strict({ max_delete_percent: Type.Optional(MaxDeletePercent), allow_empty: Type.Optional(AllowEmpty) })),
  schema_changes: Type.Optional(SchemaChanges),
  structure: Type.Optional(Structure),
  on_gap: Type.Optional(OnGap),
  max_retained: Type.Optional(MaxRetainedInput),
  expect_every: Type.Optional(ExpectEvery),
  undo: Type.Optional(NewUndoSchema),
  verify: Type.Optional(VerifySchema),
};

const StreamInputs = Type.Array(StreamInput, { minItems: 1, maxItems: MAX_STREAMS });

export const NewSync = Named('NewSynchronization', {
  name: Name,
  source_id: SourceId,
  target_id: TargetId,
  streams: StreamInputs,
  ...OPTIONAL,
});
export type NewSync = Static<typeof NewSync>;

export const ChangedSync = Named('ChangedSynchronization', {
  name: Type.Optional(Name),
  source_id: Type.Optional(SourceId),
  target_id: Type.Optional(TargetId),
  streams: Type.Optional(StreamInputs),
  ...OPTIONAL,
});
export type ChangedSync = Static<typeof ChangedSync>;

export const UnsavedSync = Named('UnsavedSynchronization', {
  sync_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The synchronization that this is a change of: what it writes itself is nothing to be warned of.',
    }),
  ),
  name: Type.Optional(Name),
  source_id: SourceId,
  target_id: TargetId,
  streams: StreamInputs,
  ...OPTIONAL,
  sample_of: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_STREAMS, description: 'Show rows of the stream at this place of `streams`, counted from 0.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many rows to show.' })),
});
export type UnsavedSync = Static<typeof UnsavedSync>;

export const ScheduleQuestion = Named('ScheduleQuestion', {
  schedule: NewSchedule,
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'How many times to tell.' })),
});

export const ScheduleTimes = Named('ScheduleTimes', {
  schedule: Schedule,
  next_times: Type.Array(Time(), { description: 'When it comes due next; empty for `manual`, `on_change` and `after`.' }),
});

export const ResetSync = Named('ResetSynchronization', {
  streams: Type.Optional(
    Type.Array(StreamName('The name of a stream at the source.'), {
      minItems: 1,
      maxItems: MAX_STREAMS,
      uniqueItems: true,
      description: 'Which streams; all when left out.',
    }),
  ),
});

const Stream = Named('SynchronizationStream', {
  source: Type.String(),
  target: Type.String(),
  mode: OneOf(['mirror', 'incremental', 'append', 'cdc']),
  key: Type.Array(Type.String()),
  cursor: Nullable(Type.String()),
  fields: Nullable(
    Type.Array(
      Named('SynchronizationField', {
        from: Type.Optional(FIELD.from),
        expression: Type.Optional(FIELD.expression),
        to: Type.String(),
        type: Type.Optional(OneOf(CANONICAL_TYPES)),
      }),
    ),
  ),
  filter: Type.Array(
    Named('SynchronizationFilter', {
      field: Type.String(),
      op: Operator,
      value: Type.Optional(Type.Unsafe<string | string[]>({ anyOf: [Type.String(), Type.Array(Type.String())] })),
    }),
  ),
  deletes: OneOf(['delete', 'mark', 'keep']),
});

const SYNC_MEMBERS = {
  id: Type.String({ examples: ['syn_01kfa0x3h8n4qd7t2m6p1r9wbc'] }),
  name: Type.String(),
  status: OneOf(['active', 'paused']),
  source_id: Type.String(),
  target_id: Type.String(),
  direction: OneOf(['source_to_target']),
  schedule: Schedule,
  streams: Type.Unsafe<SyncDefinition['streams']>(Type.Array(Stream, { description: 'With every default filled in.' })),
  on_reject: OneOf(['quarantine', 'fail']),
  guard: Strict({ max_delete_percent: MaxDeletePercent, allow_empty: AllowEmpty }),
  schema_changes: OneOf(['apply', 'ignore', 'stop']),
  structure: Structure,
  on_gap: OnGap,
  max_retained: MaxRetained,
  expect_every: ExpectEvery,
  undo: UndoSchema,
  verify: VerifySchema,
  verified: VerifiedSchema,
  health: OneOf(HEALTHS, { description: 'Its health, as its runs tell it.' }),
  health_code: OneOf(HEALTH_CODES, { description: 'Why it is so, for programs: go by this and not by the words of `health_reason`.' }),
  health_reason: Type.String({ description: 'The same in words, with what to do.' }),
  lag: Nullable(LagSchema),
  retained: Nullable(
    Strict(
      {
        bytes: Nullable(Type.Integer({ description: 'Of its log that the source keeps, where it tells.' })),
        max: Type.Integer({ description: '`max_retained`, in bytes.' }),
        lasts_seconds: Nullable(
          Type.Integer({ description: 'In how many seconds `max` is reached as the log grows now, if nothing more were followed.' }),
        ),
      },
      { description: 'Of a live synchronization: what the source keeps of its log for it.' },
    ),
  ),
  last_run: Nullable(Run),
  current_run: Nullable(Run),
  next_run_at: Nullable(Time('When it runs next by itself.')),
  created_at: Time(),
  updated_at: Time(),
};

export const Sync = Named('Synchronization', SYNC_MEMBERS);

/** What saving answers. */
export const SavedSync = Named('SavedSynchronization', {
  ...SYNC_MEMBERS,
  warnings: Type.Array(Type.String(), {
    description:
      'What works, but perhaps not as it was meant: other synchronizations write the same tables. Empty when there is nothing to say.',
  }),
});

const SampleField = Named('SampleField', { name: Type.String(), type: OneOf(CANONICAL_TYPES) });
const SampleValues = JsonText(
  Type.Object({}, { additionalProperties: true, description: 'Values as text, digit by digit; booleans as they are.' }),
);

export const TriedSync = Named('TriedSynchronization', {
  schedule: Schedule,
  streams: Type.Unsafe<SyncDefinition['streams']>(Type.Array(Stream, { description: 'With every default filled in.' })),
  warnings: Type.Array(Type.String(), { description: 'What works, but perhaps not as it was meant. Empty when there is nothing to say.' }),
  sample: Nullable(
    Strict({
      read: Type.Array(SampleField, { description: 'The fields that are read of the source.' }),
      written: Type.Array(SampleField, { description: 'The fields that are written to the target.' }),
      rows: Type.Array(
        Strict({
          before: SampleValues,
          after: Nullable(SampleValues),
          field: Nullable(Type.String({ description: 'The field at fault when the row would be rejected.' })),
          reason: Nullable(Type.String({ description: 'Why the row would be rejected.' })),
        }),
      ),
    }),
  ),
});

export const EXAMPLE_SYNC = {
  id: EXAMPLE_RUN.sync_id,
  name: 'customers to the warehouse',
  status: 'active',
  source_id: 'src_01kfa0v2m3f8rb4v3k7m2t9xqe',
  target_id: 'src_01kfa0w7d2s5jf6z9c1n8b4ykh',
  direction: 'source_to_target',
  schedule: { type: 'interval', every: '15m' },
  streams: [
    {
      source: 'public.customers',
      target: 'public.customers',
      mode: 'mirror',
      key: ['id'],
      cursor: null,
      fields: null,
      filter: [],
      deletes: 'delete',
    },
  ],
  on_reject: 'quarantine',
  guard: { max_delete_percent: 20, allow_empty: false },
  schema_changes: 'apply',
  structure: 'data',
  on_gap: 'load',
  max_retained: '10 GB',
  expect_every: '1h',
  undo: { keep: '7d', max_rows: 1_000_000 },
  verify: { every: '24h' },
  verified: EXAMPLE_VERIFIED,
  health: 'degraded',
  health_code: 'rows_rejected',
  health_reason:
    '1 row is rejected. See why at GET /api/v1/datasync/sync/syn_01kf9zzz5tf3sv8q0d1h6c2w7m/rejects, correct it, and retry: POST /api/v1/datasync/sync/syn_01kf9zzz5tf3sv8q0d1h6c2w7m/rejects/retry.',
  lag: null,
  retained: null,
  last_run: EXAMPLE_RUN,
  current_run: null,
  next_run_at: '2026-11-01T09:45:00.000Z',
  created_at: '2026-11-01T09:29:00.000Z',
  updated_at: '2026-11-01T09:29:00.000Z',
};

export const EXAMPLE_TRIED = {
  schedule: EXAMPLE_SYNC.schedule,
  streams: [
    {
      ...EXAMPLE_SYNC.streams[0],
      fields: [
        { from: 'id', to: 'id' },
        { to: 'name', expression: 'first_name + " " + last_name' },
      ],
    },
  ],
  warnings: [],
  sample: {
    read: [
      { name: 'id', type: 'int64' },
      { name: 'first_name', type: 'text' },
      { name: 'last_name', type: 'text' },
    ],
    written: [
      { name: 'id', type: 'int64' },
      { name: 'name', type: 'text' },
    ],
    rows: [
      {
        before: { id: '17', first_name: 'Ada', last_name: 'Lovelace' },
        after: { id: '17', name: 'Ada Lovelace' },
        field: null,
        reason: null,
      },
    ],
  },
};
