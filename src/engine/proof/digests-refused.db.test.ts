// Digests of tables whose key has several fields, and of systems that refuse, fail or change while they digest: nothing is missed, and nothing invented.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { type SlowLink, slowLink } from '../../../test/support/slow-link.ts';
import type { DigestRequest, StretchDigest } from '../../connectors/digests.ts';
import type { Session } from '../../connectors/session.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { End, StreamProof } from '../run.ts';

/** More than what is tried first, in several parts. */
const ROWS = 15_000;
const READER = `digest_reader_${process.pid}`;
const CODES = `(array['a','B','_','é','Z','-','ß'])[1 + n % 7]`;

let [first, second]: TestDatabase[] = [];
let link: SlowLink;

before(async () => {
  // So slow that digests are quicker on a busy machine, too.
  link = slowLink(800_000);
  [first, second] = await Promise.all([newDatabase(), newDatabase()]);
  for (const database of [first, second])
    await database?.run(`create table t (code varchar(9), part int, v text, primary key (part, code));
      insert into t select ${CODES} || n, n / 7, 'a row that is compared over a slow link ' || n from generate_series(1, ${ROWS}) n;
      create table one (code text, part int, v text, primary key (part, code));
      insert into one select ${CODES} || n, 1, 'a row of a table whose key begins alike ' || n from generate_series(1, ${ROWS}) n`);
  await second?.run(`create role ${READER} login password 'reads'; grant select on t to ${READER};
    revoke execute on function pg_catalog.sha256(bytea) from public`);
});
after(async () => {
  await second?.run(`drop owned by ${READER}; drop role ${READER}`);
  await link.close();
  await Promise.all([first?.close(), second?.close()]);
});

async function endOf(database: TestDatabase | undefined, who: object = {}): Promise<End> {
  const port = await link.to(database?.config ?? assert.fail());
  return { id: 'p', name: 'p', type: 'postgres', config: { ...database?.config, host: '127.0.0.1', port, ssl: 'disable', ...who } };
}

async function between(table: string, who?: object): Promise<EngineRuns> {
  const ends = { source: await endOf(first), target: await endOf(second, who) };
  const runs = engineRuns({ definition: definitionOf([streamOf(`public.${table}`, { key: ['part', 'code'] })]), ends });
  // As if the last run had found it large enough.
  for (const stream of runs.streams) stream.rows = 200_000;
  return runs;
}

type Digest = (request: DigestRequest) => Promise<readonly StretchDigest[] | undefined>;

/** Verifies with this in front of the digests of the target. */
async function verified(runs: EngineRuns, instead?: (digest: Digest, call: number) => Digest) {
  let calls = 0;
  const open = async (end: 'source' | 'target'): Promise<Session> => {
    const session = await runs.open(end);
    const { digests } = session;
    if (end === 'source' || !digests || !instead) return session;
    return { ...session, digests: { ...digests, digest: (request) => instead((asked) => digests.digest(asked), ++calls)(request) } };
  };
  return runs.run({ mode: 'verify', ports: { open } });
}

const found = ({ result, missing, extra, different, rows, digest_of }: StreamProof = assert.fail()) => [
  result,
  missing,
  extra,
  different,
  rows,
  digest_of,
];

describe('digests by a key of several fields', () => {
  test('find what differs: at both tails, in the middle, and in a part that only the target has', async () => {
    const runs = await between('t');
    assert.deepEqual(found((await verified(runs)).first.proof), ['equal', 0, 0, 0, ROWS, 'ranges']);
    await second?.run(`begin; update t set v = v || ' ' where part in (0, ${Math.floor(ROWS / 7)}, 900) and code like 'a%';
      delete from t where part = 901; insert into t values ('x', -5, ''), ('y', 99999, null), ('A900', 900, 'other'); commit`);
    const { first: report } = await verified(runs);
    const [, missing, extra, different] = found(report.proof);
    const [[changed] = []] = (await second?.rows(`select count(*) from t where v like '% '`)) ?? [];
    assert.deepEqual([missing, extra, different], [7, 3, Number(changed)]);
    assert.equal(report.proof?.digest_of, 'ranges');
    await second?.run(`begin; delete from t where part < 0 or part = 99999 or code = 'A900'; update t set v = rtrim(v) where v like '% ';
      insert into t select ${CODES} || n, n / 7, 'a row that is compared over a slow link ' || n from generate_series(901 * 7, 901 * 7 + 6) n; commit`);
    assert.deepEqual(found((await verified(runs)).first.proof), ['equal', 0, 0, 0, ROWS, 'ranges']);
  });

  test('are given up where the first field does not tell rows apart, and all rows are read', async () => {
    const runs = await between('one');
    await second?.run(`update one set v = '' where code = 'a7'`);
    assert.deepEqual(found((await verified(runs)).first.proof), ['differs', 0, 0, 1, ROWS, 'rows']);
  });
});

describe('a system that digests', () => {
  const damage = (by: string): Promise<unknown> => second?.run(`update t set v = ${by} where part = 2000`) ?? assert.fail();

  test('and whose rows are others just while it does is looked at again: nothing differs', async () => {
    const runs = await between('t');
    let damaged = 0;
    const { first: report } = await verified(runs, (digest) => async (request) => {
      await damage(`v || '!'`);
      damaged++;
      const answer = await digest(request);
      await damage(`rtrim(v, '!')`);
      return answer;
    });
    assert.ok(damaged > 1);
    assert.deepEqual(found(report.proof), ['equal', 0, 0, 0, ROWS, 'ranges']);
  });

  test('and refuses in the middle is read from there on, and nothing is missed', async () => {
    const runs = await between('t');
    await damage(`v || '!'`);
    const { first: report } = await verified(runs, (digest, call) =>
      call === 1 ? digest : async () => Promise.reject(new OutsideError('auth', 'DENIED', 'permission denied for function')),
    );
    await damage(`rtrim(v, '!')`);
    assert.deepEqual(found(report.proof), ['differs', 0, 0, 7, ROWS, 'ranges']);
  });

  test('and breaks in the middle fails the run in words, without a verdict', async () => {
    const { status, first: report } = await verified(await between('t'), (digest, call) =>
      call === 1 ? digest : async () => Promise.reject(new OutsideError('transient', 'CONNECTION_LOST', 'The connection was lost.')),
    );
    assert.deepEqual([status, report.proof, report.error?.code], ['failed', undefined, 'CONNECTION_LOST']);
  });

  test('to the same number and to nothing else tells nobody that rows are equal', async () => {
    const runs = await between('t');
    const { first: report } = await verified(runs, (digest) => async (request) => {
      const stretches = await digest(request);
      return stretches?.map(({ rows }) => ({ rows, digest: '00' }));
    });
    assert.deepEqual(found(report.proof).slice(0, 5), ['equal', 0, 0, 0, ROWS], 'all rows were read');
  });

  test('by no function that this user may use is read', async () => {
    const runs = await between('t', { user: READER, password: 'reads' });
    assert.deepEqual(found((await verified(runs)).first.proof), ['equal', 0, 0, 0, ROWS, 'rows']);
  });
});
