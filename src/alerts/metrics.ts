import { family, type MetricSample } from '../datasync/metrics/text-format.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { RULES } from './alert.ts';

/** What is wrong, and how messages fare, in the text format of Prometheus. */
export async function alertFamilies(db: Connection): Promise<string> {
  const [open, waiting, counted] = await Promise.all([
    db.all<{ rule: string; n: number }>(sql`select rule, count(*) as n from incidents where closed_at is null group by rule`),
    db.all<{ n: number }>(sql`select count(*) as n from alert_messages where next_at is not null`),
    db.all<{ name: string; n: number }>(
      sql`select name, n from counters where name in ('alerts:sent', 'alerts:attempts_failed', 'alerts:given_up')`,
    ),
  ]);
  const ofRule = new Map(open.map(({ rule, n }) => [rule, n]));
  const total = (name: string): number => counted.find((one) => one.name === `alerts:${name}`)?.n ?? 0;
  const incidents: MetricSample[] = RULES.map((rule) => ({ labels: { rule }, value: ofRule.get(rule) ?? 0 }));
  return [
    family('syncline_incidents_open', 'gauge', 'What is wrong at this moment, by rule.', incidents),
    family('syncline_alert_messages_waiting', 'gauge', 'Messages of alerts that are still to be sent.', [{ value: waiting[0]?.n ?? 0 }]),
    family('syncline_alert_messages_total', 'counter', 'Messages of alerts that got through, and those that were given up after 30 days.', [
      { labels: { status: 'sent' }, value: total('sent') },
      { labels: { status: 'failed' }, value: total('given_up') },
    ]),
    family('syncline_alert_attempts_failed_total', 'counter', 'Attempts to send a message of an alert that did not get through.', [
      { value: total('attempts_failed') },
    ]),
  ].join('');
}
