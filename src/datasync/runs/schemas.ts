import { JsonText, Named, Nullable, OneOf, Strict, Time } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';
import { RUN_STATUSES } from './rows/transitions.ts';

const MODES = ['run', 'full', 'preview', 'verify', 'repair', 'repair_preview'] as const;

export const NewRun = Named('NewRun', {
  streams: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'Only these streams, by their names at the source; all of them unless given.',
    }),
  ),
  mode: Type.Optional(
    OneOf(MODES, {
      default: 'run',
      description:
        '`run`: as the definition says. `full`: reads everything anew, whatever the position. `preview`: shows what would change and writes nothing. `verify`: compares the contents of both ends and writes nothing. `repair`: does the same and writes just the rows that differ. `repair_preview`: shows what a repair would change.',
    }),
  ),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

const COUNTS = {
  read: count('Rows that were read.'),
  inserted: count('Rows that are new at the target.'),
  updated: count('Rows that were changed at the target.'),
  deleted: count('Rows that were removed or marked at the target.'),
  unchanged: count('Rows that were equal already.'),
  rejected: count('Rows that were rejected.'),
  bytes: count('About how much was moved.'),
};

const RunError = Named('RunError', {
  kind: OneOf(['config', 'auth', 'transient', 'data', 'gap', 'fenced', 'bug'], {
    description: 'What it takes to recover: only `transient` is retried by itself.',
  }),
  code: Type.String({ examples: ['PORT_CLOSED'] }),
  message: Type.String(),
  hint: Nullable(Type.String({ description: 'What to do next.' })),
  retry_after: Type.Optional(Type.Number({ description: 'Seconds after which the system wants to be asked again.' })),
  end: Type.Optional(OneOf(['source', 'target'], { description: 'At which end it happened; only where it was one of them.' })),
  field: Type.Optional(
    Type.String({
      description: 'The place in the definition that does not fit any more, such as `streams[0].fields[3].from`; only where it is one.',
    }),
  ),
});

const Values = Nullable(
  Type.Object({}, { additionalProperties: true, description: 'Values as text, digit by digit; booleans as they are.' }),
);

const Changes = Named('RunChanges', {
  inserted: count('Rows that would be inserted.'),
  updated: count('Rows that would be updated.'),
  deleted: count('Rows that would be deleted.'),
  unchanged: count('Rows that would stay as they are.'),
  samples: Type.Optional(
    Type.Array(Named('ChangedRow', { change: OneOf(['insert', 'update', 'delete']), key: Values, before: Values, after: Values }), {
      description: 'Some of them; of a preview only.',
    }),
  ),
});

export const ProofResultSchema = OneOf(['equal', 'differs', 'changing'], {
  description:
    '`equal`: the target has what the source has, through the mapping. `differs`: rows were seen to differ twice, with nothing under way. `changing`: rows that differed changed again whenever they were looked at.',
});

const Proof = Named(
  'Proof',
  {
    result: ProofResultSchema,
    rows: count('Rows of the source that belong at the target.'),
    digest: Type.String({ description: 'SHA-256 of these rows, in hexadecimal.' }),
    digest_of: Type.Optional(
      OneOf(['rows', 'ranges'], {
        description:
          'What it is made of: the rows as they were read, or the digests of their ranges, which the source has made itself. Two digests tell something when this is the same.',
      }),
    ),
    missing: count('Rows of the source that the target lacks.'),
    extra: count('Rows of the target that the source lacks, where the definition removes or marks them.'),
    different: count('Rows that both have, and not the same.'),
    changing: count('Rows that were on their way whenever they were looked at.'),
    kept: count('Rows of the target that the source lacks, where the definition leaves them there.'),
    quarantined: count('Rows that are rejected and wait, and so are not missing.'),
    more: Type.Optional(Type.Boolean({ description: 'More rows differ than were told apart: the numbers are the least there are.' })),
    by: OneOf(['target', 'ledger'], {
      description: '`ledger`: the target cannot be read back, so what it has accepted was compared.',
    }),
    position: Nullable(Type.String({ description: 'Of a live stream: the place in the log of the source that it holds for.' })),
    duration_ms: count('How long it took.'),
    samples: Type.Array(
      Named('DifferentRow', {
        difference: OneOf(['missing', 'extra', 'different']),
        key: Values,
        fields: Type.Array(Type.String(), {
          description: 'The fields that are shown: those that differ, or all when one end lacks the row.',
        }),
        source: Values,
        target: Values,
      }),
      { description: 'Some of the rows that differ, with what both ends have: at most 20.' },
    ),
  },
  { description: 'Of a verify or a repair: what was found. After a repair: what is left.' },
);

const StreamReport = Named('RunStream', {
  name: Type.String({ description: 'The stream at the source.', examples: ['public.customers'] }),
  target: Type.String({ description: 'The stream at the target.', examples: ['customers'] }),
  status: OneOf(['pending', 'running', 'succeeded', 'partial', 'failed', 'cancelled', 'needs_approval']),
  ...COUNTS,
  rows_per_second: Type.Number(),
  estimated_total: Nullable(Type.Number({ description: 'About how many rows there are to read, when the source knows.' })),
  checkpoint: Nullable(Type.String({ description: 'The position of the last batch that is in the target.' })),
  error: Nullable(RunError),
  live: Type.Optional(
    OneOf(['loading', 'live', 'stopped'], {
      description: 'Of a live run: whether the stream is being loaded, follows the log of the source, or has stopped until a person acts.',
    }),
  ),
  schema_changes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What of the fields of the source was no longer as at the last run; only when something was.',
    }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'What could not be made of the structure of the target; only when something could not.' }),
  ),
  changes: Type.Optional(Changes),
  proof: Type.Optional(Proof),
});

const LAG = {
  seconds: Type.Number({
    description: 'Between the commit of a change at the source and its commit at the target, or since when the next one waits.',
  }),
  bytes: Nullable(Type.Integer({ description: 'Of the log that the source keeps for it, where it tells.' })),
  at: Time('When this was so.'),
};

/** How far something live is behind its source. */
export const LagSchema = Named('Lag', LAG, { description: 'How far it is behind its source; of a live run while it is running.' });

const LeftKey = Type.Object({}, { additionalProperties: true, description: 'The values of its key, as text.' });

export const RowLeft = Named('RowLeft', {
  target: Type.String({ description: 'The stream at the target.' }),
  key: LeftKey,
  reason: OneOf(['changed', 'removed', 'added'], {
    description:
      '`changed`: it is not what the run has written; `removed`: others have removed it; `added`: the run had removed it, and it is there again.',
  }),
});

/** What undoing a run does. */
export const UNDO_COUNTS = {
  restored: count('Rows that have their old values again, or are there again.'),
  removed: count('Rows that the run had inserted, and that are gone again.'),
  left: count('Rows that are left as they are, as others have changed them since the run.'),
};

const Undone = Named(
  'Undone',
  {
    at: Time(),
    by: Type.String({ description: 'The id of the key that asked for it, or who else it was.' }),
    ...UNDO_COUNTS,
    rows_left: Type.Array(RowLeft, { description: 'Some of those that were left: 100 at most of each stream.' }),
  },
  { description: 'Only of a run that was undone.' },
);

export const Run = Named('Run', {
  id: Type.String({ examples: ['run_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  sync_id: Type.String({ examples: ['syn_01kf9zzz5tf3sv8q0d1h6c2w7m'] }),
  status: Type.Named('RunStatus', OneOf(RUN_STATUSES, { description: 'Later versions of v1 may add some.' })),
  trigger: OneOf(['manual', 'schedule', 'change', 'retry'], { description: 'What started it.' }),
  triggered_by: Nullable(
    Strict(
      { type: OneOf(['run', 'hook']), id: Type.String({ examples: ['run_01kfa0v2m3f8rb4v3k7m2t9xqe'] }) },
      { description: 'The hook whose call started it, or the run before it in a chain; null when neither did.' },
    ),
  ),
  mode: OneOf(['run', 'full', 'preview', 'rejects', 'verify', 'repair', 'repair_preview']),
  attempt: Type.Integer({ minimum: 1, description: 'Which attempt it is: 1, and one more with every retry.' }),
  cancel_requested: Type.Boolean({ description: 'It has been cancelled; while it is `running`, it is about to stop.' }),
  created_at: Time(),
  next_attempt_at: Nullable(Time('When a run that is `retrying` is tried again.')),
  started_at: Nullable(Time('When it began for the first time.')),
  finished_at: Nullable(Time()),
  duration_ms: Nullable(Type.Integer({ description: 'How long it was at work, without the waiting between attempts.' })),
  streams: JsonText(Type.Array(StreamReport)),
  totals: Named('RunTotals', COUNTS),
  error: Nullable(JsonText(RunError)),
  live: Type.Optional(Type.Unsafe<true>({ ...Type.Literal(true), description: 'Only of a run that follows the log of its source.' })),
  rolled: Type.Optional(
    Type.Boolean({ description: 'Of a live run: whether it was closed after its hour, and another one went on without a pause.' }),
  ),
  lag: Type.Optional(LagSchema),
  undone: Type.Optional(JsonText(Undone)),
});

const KeyValue = Type.Unsafe<string | boolean | null>({ anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] });

export const Reject = Named('Reject', {
  id: Type.String({ examples: ['rej_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  stream: Type.String({ description: 'The stream at the source.' }),
  target: Type.String({ description: 'The stream at the target.' }),
  status: OneOf(['open', 'resolved'], { description: '`resolved`: the row was written after all, or is gone.' }),
  field: Nullable(Type.String({ description: 'The field at fault, when it is one.' })),
  reason: Type.String(),
  key: Nullable(JsonText(Type.Array(KeyValue, { description: 'The values of its key at the source: as text; booleans as they are.' }))),
  row: JsonText(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The row as it was read: values as text, digit by digit; booleans as they are.' },
    ),
  ),
  first_run_id: Type.String({ description: 'The run that rejected it.' }),
  last_run_id: Type.String({ description: 'The last run that saw it refused.' }),
  created_at: Time(),
  updated_at: Time(),
  resolved_at: Nullable(Time()),
});

const EXAMPLE_COUNTS = { read: 1204, inserted: 12, updated: 3, deleted: 0, unchanged: 1188, rejected: 1, bytes: 96_320 };

export const EXAMPLE_RUN = {
  id: 'run_01kfa0v2m3f8rb4v3k7m2t9xqe',
  sync_id: 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m',
  status: 'partial',
  trigger: 'manual',
  triggered_by: null,
  mode: 'run',
  attempt: 1,
  cancel_requested: false,
  created_at: '2026-11-01T09:30:00.000Z',
  next_attempt_at: null,
  started_at: '2026-11-01T09:30:00.012Z',
  finished_at: '2026-11-01T09:30:00.431Z',
  duration_ms: 419,
  streams: [
    {
      name: 'public.customers',
      target: 'customers',
      status: 'partial',
      ...EXAMPLE_COUNTS,
      rows_per_second: 2873,
      estimated_total: 1204,
      checkpoint: null,
      error: null,
    },
  ],
  totals: EXAMPLE_COUNTS,
  error: null,
};

export const EXAMPLE_QUEUED = {
  ...EXAMPLE_RUN,
  status: 'queued',
  started_at: null,
  finished_at: null,
  duration_ms: null,
  streams: [],
  totals: { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 },
};

export const EXAMPLE_REJECT = {
  id: 'rej_01kfa0v2m3f8rb4v3k7m2t9xqe',
  stream: 'public.customers',
  target: 'customers',
  status: 'open',
  field: 'age',
  reason: 'is "unknown", which is no whole number',
  key: ['17'],
  row: { id: '17', name: 'Ada', age: 'unknown' },
  first_run_id: 'run_01kfa0v2m3f8rb4v3k7m2t9xqe',
  last_run_id: 'run_01kfa0v2m3f8rb4v3k7m2t9xqe',
  created_at: '2026-11-01T09:30:00.200Z',
  updated_at: '2026-11-01T09:30:00.200Z',
  resolved_at: null,
};
