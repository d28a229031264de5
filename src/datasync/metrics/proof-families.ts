import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Verified } from '../runs/rows/verified.ts';
import { family, type MetricSample } from './text-format.ts';

const RESULTS = ['equal', 'differs', 'changing'] as const;
const DIFFERENCES = ['missing', 'extra', 'different'] as const;

/** What was found when the streams of each synchronization were compared last. */
export async function proofFamilies(db: Connection): Promise<string> {
  const rows = await db.all<{ id: string; name: string; verified: string }>(sql`
    select s.id, s.name, st.verified from sync_state st join syncs s on s.id = st.sync_id where st.verified is not null order by s.id`);
  const all = rows.map(({ id, name, verified }) => ({
    labels: { sync_id: id, sync: name },
    ...(JSON.parse(verified) as Verified),
  }));
  const each = (pick: (one: (typeof all)[number]) => readonly MetricSample[]): MetricSample[] => all.flatMap(pick);
  return [
    family(
      'syncline_verify_result',
      'gauge',
      'What was found when both ends were compared last: 1 for the result, and 0 for the others.',
      each(({ labels, result }) => RESULTS.map((one) => ({ labels: { ...labels, result: one }, value: one === result ? 1 : 0 }))),
    ),
    family(
      'syncline_verify_rows',
      'gauge',
      'Rows that were compared then.',
      each(({ labels, rows: value }) => [{ labels, value }]),
    ),
    family(
      'syncline_verify_differences',
      'gauge',
      'Rows that were seen to differ then, by kind.',
      each((one) => DIFFERENCES.map((kind) => ({ labels: { ...one.labels, kind }, value: one[kind] }))),
    ),
    family(
      'syncline_verify_timestamp_seconds',
      'gauge',
      'When that was, in seconds since 1970.',
      each(({ labels, at }) => [{ labels, value: Date.parse(at) / 1000 }]),
    ),
  ].join('');
}
