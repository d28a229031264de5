import { Agent, request } from 'node:http';
import type { Batches } from '../contenders/bare-sqlite.ts';
import type { Section } from '../support/bench.ts';
import { startLoop } from '../support/loops.ts';
import { temporaryFolder } from '../support/processes.ts';
import { compare } from '../support/report.ts';
import { products } from '../support/shop.ts';
import { type Syncline, startSyncline } from '../support/syncline.ts';

const SIZE = 1000;
const BATCHES = 20;

const KINDS = ['created', 'updated', 'unchanged'] as const;

/** POST /products/sync/batch, one request of 1,000 after the other, against the same upserts in a bare loop. */
export const syncProductsSection: Section = async ({ rounds }) => {
  const ours = await startSyncline(temporaryFolder());
  const upserts = await startLoop<Batches>('bare-sqlite.ts');
  const everything = await startLoop<Batches>('bare-sqlite.ts');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const figures = Object.fromEntries(KINDS.map((kind) => [kind, { ours: [], upserts: [], everything: [] }])) as unknown as Figures;

  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const kind of KINDS) {
      const work = { from: round * BATCHES * SIZE, batches: BATCHES, size: SIZE, cents: kind === 'created' ? 0 : 1 };
      const seconds = {
        ours: await syncBatches(ours, agent, work, kind),
        upserts: await upserts(work),
        everything: await everything({ ...work, everything: true }),
      };
      if (round > 0) for (const who of ['ours', 'upserts', 'everything'] as const) figures[kind][who].push((BATCHES * SIZE) / seconds[who]);
    }
  }
  const { created, updated, unchanged } = figures;
  const what = 'POST /products/sync/batch, 1,000 items';
  for (const [kind, { ours: our, upserts: reference }] of Object.entries({ created, updated })) {
    compare(`${what}, ${kind}, against a bare loop`, 'items/s', { ours: our, reference }, { atLeast: 0.4 });
  }
  compare(`${what}, unchanged, against a bare loop`, 'items/s', { ours: unchanged.ours, reference: unchanged.upserts }, { atLeast: 0.4 });
  compare(`${what}, unchanged against updated`, 'items/s', { ours: unchanged.ours, reference: updated.ours }, { atLeast: 1 });
  compare(`${what}, created, against a loop that writes all our rows`, 'items/s', { ours: created.ours, reference: created.everything });

  agent.destroy();
  await ours.stop();
};

type Figures = Record<(typeof KINDS)[number], Record<'ours' | 'upserts' | 'everything', number[]>>;

/** Sends the batches one after the other; answers the seconds from each request to the end of its answer. */
async function syncBatches({ url, key }: Syncline, agent: Agent, { from, batches, size, cents }: Batches, result: string): Promise<number> {
  let milliseconds = 0;
  for (let batch = 0; batch < batches; batch++) {
    const body = Buffer.from(JSON.stringify(products(from + batch * size, size, cents)));
    const started = performance.now();
    const answer = await post(`${url}/api/v1/products/sync/batch`, agent, key, body);
    milliseconds += performance.now() - started;
    const results = answer.toString().split(`"result":"${result}"`).length - 1;
    if (results !== size) throw new Error(`Of ${size} products ${results} were ${result}: ${answer.toString().slice(0, 300)}`);
  }
  return milliseconds / 1000;
}

function post(url: string, agent: Agent, key: string, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(Buffer.concat(chunks)));
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
