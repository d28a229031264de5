import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { LiveSection } from '../support/bench.ts';
import { followTable, liveGround } from '../support/live.ts';
import { psql } from '../support/psql.ts';
import { limit } from '../support/report.ts';
import { percentile } from '../support/statistics.ts';

const RATE = 1_000;
const SECONDS = 15;
/** The first ones find everything cold. */
const WARM = 2 * RATE;

/** How long it takes from a commit at the source until a reader at the target sees it, at 1,000 changes a second. */
export const section: LiveSection = async ({ rounds }) => {
  const ground = await liveGround();
  psql(ground.source, 'create table ticks (id bigint primary key, at timestamptz, note text)');
  await followTable(ground, 'ticks');
  const [writer, reader] = [new pg.Client(ground.source), new pg.Client(ground.ours)];
  await Promise.all([writer.connect(), reader.connect()]);
  const [half, most]: [number[], number[]] = [[], []];
  let last = 0;
  for (let round = 0; round < rounds; round++) {
    const first = last + 1;
    const committed: number[] = [];
    const seen: number[] = [];
    const began = performance.now();
    const writing = (async () => {
      for (let n = 0; n < RATE * SECONDS; n++) {
        const wait = began + (n * 1000) / RATE - performance.now();
        if (wait > 1) await sleep(wait);
        await writer.query('insert into ticks values ($1, now(), $2)', [first + n, 'tick']);
        committed.push(performance.now());
      }
    })();
    for (let there = 0; there < RATE * SECONDS; ) {
      const { rows } = await reader.query('select coalesce(max(id), 0)::int as last from ticks');
      const now = performance.now();
      for (; first + there <= rows[0].last; there++) seen.push(now);
    }
    await writing;
    last += RATE * SECONDS;
    const took = seen.map((at, n) => Math.max(0, at - (committed[n] ?? at))).slice(WARM);
    half.push(percentile(took, 50));
    most.push(percentile(took, 99));
  }
  await Promise.all([writer.end(), reader.end()]);
  limit('From a commit at the source to where it is seen, 1,000 changes a second, median', 'ms', half, 30);
  limit('The same, p99', 'ms', most, 250);
};
