// A source that is written to all the time: what was read while it changed is never called different, and what is damaged at the target is found each time.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pick, type Random, withSeed } from '../../../test/crash/random.ts';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { sampled } from '../../../test/support/whole.ts';
import type { End, StreamProof } from '../run.ts';

const ROWS = 2_000;
/** These rows change all the time, at both ends of the table; all others never do. */
const HOT = [1, 2, 3, 4, 5, 1_000, 1_001, ROWS - 3, ROWS - 2, ROWS - 1, ROWS, ROWS + 1];
/** In each there are two verifies, and one of them has something to find. */
const TURNS = sampled(1, 50);

let [source, target]: TestDatabase[] = [];
before(async () => {
  [source, target] = await Promise.all([newDatabase(), newDatabase()]);
});
after(async () => {
  await Promise.all([source?.close(), target?.close()]);
});

const endOf = (database: TestDatabase | undefined): End => ({ id: 'p', name: 'p', type: 'postgres', config: database?.config });

interface Writer {
  /** Every value that a row has ever had. */
  readonly had: ReadonlySet<string>;
  stop(): Promise<number>;
}

/** Changes, removes and adds the hot rows, each in its own transaction, until told to stop. */
function write(random: Random, table: string): Writer {
  const stopping = new AbortController();
  const had = new Set<string>();
  const work = (async () => {
    const client = await source?.client();
    let changes = 0;
    for (; !stopping.signal.aborted; changes++) {
      const [id, other] = [pick(random, HOT), pick(random, HOT)];
      const kind = random();
      for (const one of [id, other]) had.add(`${one} w${changes}`);
      const put = (one: number): string =>
        `insert into ${table} values (${one}, 'w${changes}', clock_timestamp()) on conflict (id) do update set v = excluded.v, at = excluded.at`;
      // A row that goes from one end of the table to the other may be seen twice, or never.
      if (kind < 0.2) await client?.query(`begin; delete from ${table} where id = ${id}; ${put(other)}; commit`);
      else await client?.query(put(id));
    }
    return changes;
  })();
  return {
    had,
    stop: () => {
      stopping.abort();
      return work;
    },
  };
}

async function proofOf(runs: EngineRuns): Promise<StreamProof> {
  const { status, first } = await runs.run({ mode: 'verify' });
  assert.equal(status, 'succeeded', JSON.stringify(first));
  return first.proof ?? assert.fail('nothing was compared');
}

const idOf = (sample: StreamProof['samples'][number]): number => Number(sample.key?.['id']);

/** What was found besides is of rows that have changed since the last run, with values that they have had. */
function demandTrue({ samples, missing, extra, different }: StreamProof, { had }: Writer, except: number | undefined): void {
  const others = samples.filter((sample) => idOf(sample) !== except);
  assert.equal(samples.length, missing + extra + different, 'all that differ are shown');
  for (const sample of others) {
    assert.ok(HOT.includes(idOf(sample)), JSON.stringify(sample));
    const value = sample.source?.['v'];
    if (value !== undefined) assert.ok(had.has(`${idOf(sample)} ${String(value)}`), JSON.stringify(sample));
  }
}

const PLANTS: Readonly<Record<string, (table: string, id: number) => string>> = {
  different: (table, id) => `update ${table} set v = v || ' ' where id = ${id}`,
  missing: (table, id) => `delete from ${table} where id = ${id}`,
  extra: (table, id) => `insert into ${table} (id, v, at) select id + 10000, v, at from ${table} where id = ${id}`,
};

const MODES = {
  mirror: { deletes: 'delete' },
  incremental: { deletes: 'keep', cursor: 'at' },
} as const;

// Both wait most of the time.
describe('while the source is written to all the time', { concurrency: true }, () => {
  for (const mode of Object.keys(MODES) as (keyof typeof MODES)[])
    test(`${TURNS} times, in mode ${mode}`, () =>
      withSeed(async (random) => {
        const table = `busy_${mode}`;
        await source?.run(`create table ${table} (id int primary key, v text, at timestamptz);
          insert into ${table} select n, 'row ' || n, now() from generate_series(1, ${ROWS}) n where not n = any ('{${HOT.join()}}')`);
        const stream = streamOf(`public.${table}`, { mode, ...MODES[mode] });
        const ends = { source: endOf(source), target: endOf(target) };
        const runs = engineRuns({ definition: definitionOf([stream]), ends, syncId: `syn_${mode}` });
        const writer = write(random, table);
        try {
          assert.equal((await runs.run()).status, 'succeeded');
          for (let turn = 0; turn < TURNS; turn++) {
            demandTrue(await proofOf(runs), writer, undefined);
            const id = 10 + Math.floor(random() * 900);
            const kind = pick(random, mode === 'mirror' ? ['different', 'missing', 'extra'] : ['different', 'missing']);
            await target?.run(PLANTS[kind]?.(table, id) ?? '');
            const planted = kind === 'extra' ? id + 10_000 : id;
            const proof = await proofOf(runs);
            assert.equal(proof.result, 'differs');
            assert.equal(proof.samples.find((sample) => idOf(sample) === planted)?.difference, kind, JSON.stringify(proof.samples));
            demandTrue(proof, writer, planted);
            const repaired = await runs.run({ mode: 'repair' });
            assert.ok(!repaired.first.proof?.samples.some((sample) => idOf(sample) === planted), JSON.stringify(repaired.first));
            if (turn % 5 === 4) assert.equal((await runs.run()).status, 'succeeded');
          }
        } finally {
          assert.ok((await writer.stop()) > TURNS, 'too little was written');
        }
        const { first } = await runs.run({ mode: 'repair' });
        assert.equal(first.proof?.result, 'equal', JSON.stringify(first));
        const proof = await proofOf(runs);
        assert.deepEqual([proof.result, proof.missing, proof.different], ['equal', 0, 0]);
      }));
});
