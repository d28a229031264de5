// Differences of one smallest step, of every type and kind, at all places of a table, between all pairs of systems that can be read back: all are
// found, and none is invented. What is to be found is told by a plain comparison of canonical rows.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Random, withSeed } from '../../../test/crash/random.ts';
import { definitionOf, engineRuns, type EngineRuns, streamOf } from '../../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../../test/support/mysql-database.ts';
import { ALL_COLUMNS, plain, type SystemName } from '../../../test/support/planted/columns.ts';
import { mysqlEnd, type PlantedEnd, postgresEnd, sqliteEnd } from '../../../test/support/planted/ends.ts';
import { fileEnd } from '../../../test/support/planted/file-ends.ts';
import { changedRow, KEYS, type Plant, planted, plantsOf, rowsOf } from '../../../test/support/planted/plants.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { isWhole, sampled } from '../../../test/support/whole.ts';
import { comparable, type Row } from '../../connectors/canonical.ts';
import type { StreamProof } from '../run.ts';

const SYSTEMS: readonly SystemName[] = ['postgres', 'mysql', 'sqlite', 'csv', 'parquet'];
const PAIRS = SYSTEMS.flatMap((source) => SYSTEMS.map((target): [SystemName, SystemName] => [source, target]));
const ROWS = sampled(130, 1_500);
/** So many differences with each kind of key, 500 between each pair, in groups: as many as samples are shown, and some alone. */
const PLANTS = sampled(21, 125);
const KINDS = Object.keys(KEYS).length;
const GROUPS = [20, 1, 20, 5, 2, 20, 3];

let [postgres, mysql]: [TestDatabase?, MysqlDatabase?] = [];
let worlds = 0;
const folder = mkdtempSync(join(tmpdir(), 'syncline-planted-'));

before(async () => {
  [postgres, mysql] = await Promise.all([newDatabase(), mysqlDatabase()]);
});
after(async () => {
  await Promise.all([postgres?.close(), mysql?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

async function endOf(system: SystemName, role: 'source' | 'target', name: string): Promise<PlantedEnd> {
  switch (system) {
    case 'postgres':
      return postgresEnd(postgres ?? assert.fail(), name);
    case 'mysql':
      return mysqlEnd(mysql ?? assert.fail(), name);
    case 'sqlite':
      return sqliteEnd(join(folder, `${name}.db`), name);
    default:
      return fileEnd(join(folder, name), name, system, role);
  }
}

const keyOf = (row: Row, key: readonly string[]): string =>
  JSON.stringify(ALL_COLUMNS.flatMap(({ name, type }, at) => (key.includes(name) ? [comparable(type, row[at] ?? null)] : [])));

/** Rows that only one of the two has, and of both the fields in which they differ: by a plain comparison. */
function expected(source: readonly Row[], target: readonly Row[], key: readonly string[]) {
  const [here, there] = [new Map(source.map((row) => [keyOf(row, key), row])), new Map(target.map((row) => [keyOf(row, key), row]))];
  const different = [...here].flatMap(([id, row]) => {
    const other = there.get(id);
    return other && plain(row) !== plain(other) ? [`${id} ${fieldsIn(row, other).join()}`] : [];
  });
  return {
    missing: [...here.keys()].filter((id) => !there.has(id)),
    extra: [...there.keys()].filter((id) => !here.has(id)),
    different,
  };
}

const fieldsIn = (one: Row, other: Row): string[] =>
  ALL_COLUMNS.flatMap(({ name, type }, at) => (comparable(type, one[at] ?? null) === comparable(type, other[at] ?? null) ? [] : [name]));

/** Of rows without a key it counts how many there are of each. */
function expectedCounts(source: readonly Row[], target: readonly Row[]): { missing: number; extra: number } {
  const counts = new Map<string, number>();
  for (const row of source) counts.set(plain(row), (counts.get(plain(row)) ?? 0) + 1);
  for (const row of target) counts.set(plain(row), (counts.get(plain(row)) ?? 0) - 1);
  const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);
  return { missing: sum([...counts.values()].filter((n) => n > 0)), extra: Math.abs(sum([...counts.values()].filter((n) => n < 0))) };
}

interface World {
  readonly runs: EngineRuns;
  readonly ends: { readonly source: PlantedEnd; readonly target: PlantedEnd };
  readonly key: readonly string[];
  readonly keepsExtra: boolean;
  rows: { source: Row[]; target: Row[] };
}

async function proofIn({ runs }: World, what: string): Promise<StreamProof> {
  const { status, first } = await runs.run({ mode: 'verify' });
  assert.equal(status, 'succeeded', `${what}: ${JSON.stringify(first)}`);
  return first.proof ?? assert.fail('nothing was compared');
}

/** Verifies, and compares what was found with what a plain comparison finds. */
async function agrees(world: World, what: string): Promise<void> {
  const { rows, key, keepsExtra } = world;
  const proof = await proofIn(world, what);
  const told = () => `${what}: ${JSON.stringify(proof.samples)}`;
  assert.equal(proof.rows, rows.source.length, told());
  if (key.length === 0) {
    const { missing, extra } = expectedCounts(rows.source, rows.target);
    assert.deepEqual([proof.missing, proof.extra, proof.kept], [missing, keepsExtra ? 0 : extra, keepsExtra ? extra : 0], told());
    assert.equal(proof.result, missing + (keepsExtra ? 0 : extra) > 0 ? 'differs' : 'equal');
    return;
  }
  const { missing, extra, different } = expected(rows.source, rows.target, key);
  const found = { missing: [] as string[], extra: [] as string[], different: [] as string[] };
  for (const sample of proof.samples) {
    const id = JSON.stringify(ALL_COLUMNS.flatMap(({ name }) => (key.includes(name) ? [sample.key?.[name]] : [])));
    found[sample.difference].push(sample.difference === 'different' ? `${id} ${sample.fields.join()}` : id);
  }
  const counts = [missing.length, extra.length, different.length];
  assert.deepEqual([proof.missing, proof.extra, proof.different], counts, told());
  assert.equal(proof.result, counts.some((count) => count > 0) ? 'differs' : 'equal');
  if (missing.length + extra.length + different.length > 20) return;
  assert.deepEqual(
    [found.missing.sort(), found.extra.sort(), found.different.sort()],
    [missing.sort(), extra.sort(), different.sort()],
    told(),
  );
}

async function apply(world: World, plants: readonly Plant[]): Promise<void> {
  for (const plant of plants) {
    const end = world.ends[plant.side];
    if (plant.kind === 'set') await end.set(plant.row, plant.column, plant.value);
    else await end[plant.kind](plant.row);
  }
  for (const side of ['source', 'target'] as const) {
    world.rows[side] = planted(world.rows[side], plants, side);
    if (plants.some((plant) => plant.side === side)) await world.ends[side].settle(world.rows[side]);
  }
}

/** The same plants, taken back. */
function takenBack(plants: readonly Plant[]): Plant[] {
  return plants.map((plant) => {
    if (plant.kind === 'add') return { ...plant, kind: 'remove' };
    if (plant.kind === 'remove') return { ...plant, kind: 'add' };
    return { ...plant, row: changedRow(plant), value: plant.row[plant.column] ?? null };
  });
}

const isFile = (system: SystemName): boolean => system === 'csv' || system === 'parquet';

async function plantBetween(random: Random, source: SystemName, target: SystemName, kind: string): Promise<void> {
  const key = KEYS[kind] ?? assert.fail();
  const systems = [source, target];
  const number = ++worlds;
  const ends = { source: await endOf(source, 'source', `here_${number}`), target: await endOf(target, 'target', `there_${number}`) };
  const rows = rowsOf(random, ROWS, systems, key.length === 0);
  // A table without a key is mirrored where the target can, and else added to.
  const keepsExtra = key.length === 0 && target === 'sqlite';
  const how = keepsExtra ? { mode: 'append' as const, cursor: isFile(source) ? null : 'n' } : {};
  const stream = streamOf(ends.source.stream, { target: ends.target.stream, key: [...key], ...how });
  const runs = engineRuns({
    definition: definitionOf([stream]),
    syncId: `syn_${number}`,
    ends: { source: ends.source.end, target: ends.target.end },
    folder,
  });
  const world: World = { runs, ends, key, keepsExtra, rows: { source: rows, target: [...rows] } };
  try {
    await ends.source.create(key, rows);
    const loaded = await runs.run();
    assert.deepEqual(
      [loaded.status, loaded.first.rejected],
      ['succeeded', 0],
      JSON.stringify([loaded.first, runs.log, runs.openRejects().slice(0, 3)]),
    );
    await agrees(world, 'as it was loaded');
    for (let count = 0, group = 0; count < PLANTS; group++) {
      const size = GROUPS[group % GROUPS.length] as number;
      const plants = plantsOf(random, size, world.rows.source, systems, key);
      count += size;
      await apply(world, plants);
      await agrees(
        world,
        JSON.stringify(plants.map(({ side, kind: what, row, column, value }) => [side, what, row[1], row[column], value])),
      );
      if (group % 4 === 3 && !keepsExtra) await repaired(world);
      else await apply(world, takenBack(plants));
    }
    await agrees(world, 'in the end');
  } finally {
    await ends.source.drop();
    await ends.target.drop();
  }
}

async function repaired(world: World): Promise<void> {
  const { first, status } = await world.runs.run({ mode: 'repair' });
  assert.deepEqual([status, first.proof?.result], ['succeeded', 'equal'], JSON.stringify(first));
  world.rows.target = [...world.rows.source];
  await agrees(world, 'after a repair');
}

describe(`${PLANTS} differences of one smallest step are found, and no other`, () => {
  for (const [at, [source, target]] of PAIRS.entries())
    for (const [which, kind] of Object.keys(KEYS).entries()) {
      // A sample has every pair with one of the keys.
      if (!isWhole && at % KINDS !== which) continue;
      test(`from ${source} to ${target}, with ${kind} as the key`, () => withSeed((random) => plantBetween(random, source, target, kind)));
    }
});
