import { createHmac } from 'node:crypto';
import type { Section } from '../support/bench.ts';
import { drive, type Load, type LoadResult } from '../support/load.ts';
import { prepareGround, untilAnswer } from '../support/nodes.ts';
import { psql } from '../support/psql.ts';
import { measure } from '../support/report.ts';
import { createPostgresSource, createSource, createSync } from '../support/synchronizations.ts';
import type { Syncline } from '../support/syncline.ts';

const SECRET = 'the secret of the benchmark';
const BODY = JSON.stringify({ action: 'updated', words: 'x'.repeat(500) });
const CONNECTIONS = 64;
const PATIENCE = 300_000;
const TARGET = { atLeast: 1000 };

interface BenchHook {
  id: string;
  load: Load;
}

/** Calls of a hook on PostgreSQL. Each is on disk before its answer. */
export const hooksSection: Section = async ({ rounds, seconds }) => {
  const ground = await prepareGround();
  const syncline = await ground.start('all');
  const signature = `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`;
  const signed = await makeHook(syncline, 'github', { 'x-hub-signature-256': signature });
  const named = await makeHook(syncline, 'secret', { 'x-hook-secret': SECRET });
  named.load.uniqueKeys = true;
  const followed = await makeHook(syncline, 'github', { 'x-hub-signature-256': signature });
  const source_id = await createSource(syncline, 'hook', { hook: followed.id });
  const target_id = await createPostgresSource(syncline, ground.target);
  await createSync(syncline, { source_id, target_id, streams: [{ source: 'hook', target: 'calls' }], schedule: { type: 'on_change' } });

  const kinds: [string, BenchHook][] = [
    [`Calls of a hook on PostgreSQL, signed, ${CONNECTIONS} connections`, signed],
    ['The same with an id that is looked up', named],
    ['The same while a synchronization takes them over', followed],
  ];
  for (const [what, { id, load }] of kinds) {
    const results: LoadResult[] = [];
    await drive(syncline.url, load, 1);
    for (let round = 0; round < rounds; round++) results.push(await drive(syncline.url, load, seconds));
    const rates = results.map(({ rate }) => rate);
    measure(what, '/s', rates, TARGET);
    measure(
      `${what}, p99`,
      'ms',
      results.map(({ p99 }) => p99),
    );
    const { data } = JSON.parse(await syncline.get(`/api/v1/datasync/hooks/${id}`)) as { data: { calls: number } };
    const answered = Math.floor(rates.reduce((sum, rate) => sum + rate, 0) * seconds);
    if (data.calls < answered) throw new Error(`${answered} calls were answered, ${data.calls} are kept.`);
    // Calls that were under way when the load ended are kept as well, a moment later.
    const counted = (): string => psql(ground.own, `select calls from hooks where id = '${id}'`);
    await untilAnswer(ground.own, `select count(*) from hook_calls where hook_id = '${id}'`, counted, PATIENCE);
    if (id === followed.id) await untilAnswer(ground.target, 'select count(*) from calls', counted, PATIENCE);
  }
  await syncline.stop();
};

/** Names are not given twice. */
let made = 0;

async function makeHook(syncline: Syncline, scheme: string, headers: Record<string, string>): Promise<BenchHook> {
  const answer = await syncline.post('/api/v1/datasync/hooks', JSON.stringify({ name: `bench ${++made}`, scheme, secret: SECRET }));
  const { id, token } = (JSON.parse(answer) as { data: { id: string; token: string } }).data;
  const request = {
    method: 'POST',
    path: `/api/v1/hooks/${token}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: BODY,
  };
  return { id, load: { requests: [request as Load['requests'][number]], connections: CONNECTIONS } };
}
