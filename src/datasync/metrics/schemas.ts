import { Named, Nullable, OneOf, Strict, Time } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';
import { WINDOWS } from './window.ts';

const ended = {
  total: Type.Integer({ description: 'How many ended.' }),
  succeeded: Type.Integer(),
  partial: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  skipped: Type.Integer(),
};
const now = (description: string) => Type.Integer({ description: `${description} at this moment; not in \`total\`.` });
const EndedRuns = Named('EndedRuns', ended);
const Runs = Named('RunCounts', {
  ...ended,
  queued: now('Wait to start'),
  running: now('Under way'),
  retrying: now('Wait to be tried again'),
  needs_approval: now('Wait for a person'),
});
const Rows = Named('RowCounts', {
  read: Type.Integer(),
  inserted: Type.Integer(),
  updated: Type.Integer(),
  deleted: Type.Integer(),
  unchanged: Type.Integer(),
  rejected: Type.Integer(),
});

const figures = {
  runs: Runs,
  rows: Rows,
  bytes: Type.Integer({ description: 'Bytes that were read.' }),
  throughput: Strict(
    { rows_per_second: Type.Number(), bytes_per_second: Type.Number() },
    { description: 'What was read, for each second that runs were at work.' },
  ),
  duration_ms: Strict({ p50: Nullable(Type.Integer()), p95: Nullable(Type.Integer()), max: Nullable(Type.Integer()) }),
  lag_seconds: Nullable(
    Type.Integer({
      description:
        'Seconds since the last successful run of an active synchronization began; of a live one, how far it is behind its source; of several the largest. Null when there was none.',
    }),
  ),
  success_rate: Nullable(
    Type.Number({ description: 'Succeeded and partial runs as a part of these and the failed ones, from 0 to 1; null without any.' }),
  ),
};

const ofSync = {
  live: Type.Boolean({ description: 'Whether it follows the log of its source.' }),
  retained_bytes: Nullable(Type.Integer({ description: 'Of a live one: what the source keeps of its log for it, where it tells.' })),
};

const lagThen = {
  lag_seconds: Nullable(
    Type.Number({
      description: 'With `sync_id`, of a live synchronization: the furthest it was behind its source; null when nothing was told.',
    }),
  ),
  retained_bytes: Nullable(Type.Integer({ description: 'The most that the source kept of its log for it then.' })),
};

export const Metrics = Named('Metrics', {
  window: OneOf(WINDOWS),
  from: Time(),
  to: Time(),
  ...figures,
  syncs: Type.Array(Named('SynchronizationMetrics', { sync_id: Type.String(), name: Type.String(), ...ofSync, ...figures }), {
    description: 'The same for each synchronization, oldest first.',
  }),
  series: Type.Array(
    Named('MetricsPoint', { at: Time('Where this point begins.'), runs: EndedRuns, rows: Rows, bytes: Type.Integer(), ...lagThen }),
    {
      description: 'The window over time: 60 points for `1h`, 48 for `24h`, 84 for `7d`, 60 for `30d`; the last is still under way.',
    },
  ),
});

const exampleEnded = { total: 25, succeeded: 23, partial: 1, failed: 1, cancelled: 0, skipped: 0 };
const exampleRows = { read: 120_400, inserted: 1204, updated: 310, deleted: 2, unchanged: 118_881, rejected: 3 };
const exampleFigures = {
  runs: { ...exampleEnded, queued: 0, running: 1, retrying: 0, needs_approval: 0 },
  rows: exampleRows,
  bytes: 24_080_000,
  throughput: { rows_per_second: 40_133.3, bytes_per_second: 8_026_666.7 },
  duration_ms: { p50: 104, p95: 380, max: 911 },
  lag_seconds: 312,
  success_rate: 0.96,
};

export const EXAMPLE_METRICS = {
  window: '24h',
  from: '2026-10-31T09:30:00.000Z',
  to: '2026-11-01T09:30:00.000Z',
  ...exampleFigures,
  syncs: [{ sync_id: 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m', name: 'customers', live: false, retained_bytes: null, ...exampleFigures }],
  series: [
    { at: '2026-10-31T09:30:00.000Z', runs: exampleEnded, rows: exampleRows, bytes: 24_080_000, lag_seconds: null, retained_bytes: null },
  ],
};
