import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { tableChanged } from '../../sql-target/undo/faults.ts';
import type { KeptRun } from '../../sql-target/undo/kept-run.ts';
import { OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import { joinedFor, putBack, type UndoTable, verdicts } from '../../sql-target/undo/statements.ts';
import type { UndoDialect } from '../../sql-target/undo/take-back.ts';
import type { ForgetRequest } from '../../undo.ts';
import { quoteName, quoteRelation, quoteText, type RelationName } from '../catalogue/names.ts';
import { findRelation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { isPartOf, NOBODYS, tableIn } from '../write/checkpoint.ts';
import { lockOfTable } from '../write/locks.ts';
import { dropTriggers, journalOf, keptColumns, runsIn } from './keeping.ts';

type Text = Record<string, string | null>;

const OVERRIDING = 'overriding system value';

/** The schemas that have a table of this name of ours. */
async function schemasWith(link: Link, table: string): Promise<string[]> {
  const rows = await link.query<{ schema: string }>(
    `select n.nspname as schema from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relname = $1 and c.relkind = 'r' and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select, update') order by c.oid`,
    [table],
  );
  return rows.map(({ schema }) => schema);
}

/** How a run is taken back in PostgreSQL. */
export function undoDialect(link: Link): UndoDialect {
  /** Where the table of a run is: the numbers of runs are those of a schema. */
  const places = new Map<KeptRun, RelationName>();
  let judged = 0;
  let isLocking = false;
  const placeOf = (kept: KeptRun): RelationName => places.get(kept) as RelationName;
  return {
    transaction: async (isMeant, work) => {
      isLocking = isMeant;
      await link.run('begin');
      try {
        // Half a minute of work between two statements is no sign of sleep.
        await link.run("set local idle_in_transaction_session_timeout = '2min'; set constraints all deferred");
        const result = await work();
        await link.run(isMeant ? 'set constraints all immediate; commit' : 'rollback');
        return result;
      } catch (error) {
        await link.run('rollback').catch(() => {});
        throw error;
      }
    },
    fence: (owners, token) => fence(link, owners, token),
    keptOf: async (run) => {
      const all: KeptRun[] = [];
      for (const schema of await schemasWith(link, UNDO_TABLE)) {
        const rows = await link.query<Text>(
          `select id::text, stream, "table", key, from_seq::text, filled::text, too_much::text, outcome from ${quoteRelation(runsIn(schema))}
           where run = $1 order by id for update`,
          [run],
        );
        for (const row of rows) {
          const kept = keptRun(run, row);
          places.set(kept, { schema, name: row['table'] ?? '' });
          all.push(kept);
        }
      }
      return all;
    },
    newerThan: async (kept, sync) => {
      const { schema, name } = placeOf(kept);
      const rows = await link.query<{ run: string }>(
        `select r.run from ${quoteRelation(runsIn(schema))} r where r.id > $1::bigint and r.sync = $2 and r."table" = $3 and r.outcome is null
           and exists (select from ${quoteRelation(journalOf({ schema, name }))} j where j.${RUN} = r.id and j.${SEQ} > r.from_seq)`,
        [String(kept.id), sync, name],
      );
      return rows.map(({ run }) => run);
    },
    tableOf: async (kept) => {
      const table = await tableOf(link, kept, placeOf(kept));
      if (isLocking) await link.run(`lock table ${table.table} in share row exclusive mode`);
      return table;
    },
    judge: async (of, { id, fromSeq }) => {
      const acts = `syncline_verdicts_${++judged}`;
      await link.run(
        `set local work_mem = '64MB'; set local jit = off; create temporary table ${acts} on commit drop as ${verdicts(of, id, fromSeq)}; analyze ${acts}`,
      );
      return `pg_temp.${acts}`;
    },
    rows: async (statement) => (await link.query<Text>(statement)).map((row) => Object.values(row)),
    remove: async (of, acts) => {
      const { image, isIt, which } = joinedFor(of, acts, 'remove');
      await link.run(`delete from ${of.table} t using ${image} where ${which} and ${isIt}`);
    },
    change: async (of, acts) => {
      const { image, isIt, which } = joinedFor(of, acts, 'change');
      const fixed = of.columns.filter((name) => !of.settable.includes(name));
      const isOther = fixed.map((name) => `not (${of.same(`t.${quoteName(name)}`, `j.${quoteName(name)}`, name)})`).join(' or ');
      // A row that has another number by now cannot be given its old one: it is removed, and comes back with it.
      if (fixed.length > 0) {
        await link.run(`delete from ${of.table} t using ${image} where ${which} and ${isIt} and (${isOther})`);
        await link.run(`${putBack(of, acts, 'change', OVERRIDING)} and not exists (select from ${of.table} t where ${isIt})`);
      }
      const sets = of.settable.map((name) => `${quoteName(name)} = j.${quoteName(name)}`);
      if (sets.length > 0) await link.run(`update ${of.table} t set ${sets.join(', ')} from ${image} where ${which} and ${isIt}`);
    },
    bring: (of, acts) => link.run(putBack(of, acts, 'bring', OVERRIDING)),
    attempt: async (work) => {
      await link.run('savepoint attempt');
      try {
        await work();
        await link.run('set constraints all immediate; set constraints all deferred; release savepoint attempt');
      } catch (error) {
        await link.run('rollback to savepoint attempt').catch(() => {});
        throw error;
      }
    },
    done: async (kept, outcome) => {
      const { schema, name } = placeOf(kept);
      await link.run(
        `update ${quoteRelation(runsIn(schema))} set outcome = ${quoteText(outcome)} where id = ${kept.id};
         delete from ${quoteRelation(journalOf({ schema, name }))} where ${RUN} = ${kept.id} and ${SEQ} > ${kept.fromSeq}`,
      );
    },
  };
}

function keptRun(run: string, row: Text): KeptRun {
  return {
    id: Number(row['id']),
    run,
    stream: row['stream'] ?? '',
    fromSeq: Number(row['from_seq']),
    key: JSON.parse(row['key'] ?? '[]') as string[],
    isFilled: row['filled'] === 'true',
    isTooMuch: row['too_much'] === 'true',
    outcome: row['outcome'] ?? null,
  };
}

async function fence(link: Link, owners: readonly string[], token: bigint): Promise<boolean> {
  if (owners.length === 0) return true;
  const list = `(${owners.map(quoteText).join(', ')})`;
  for (const schema of await schemasWith(link, CHECKPOINT_TABLE)) {
    const rows = await link.query<{ higher: string }>(
      `select (token > ${token})::text as higher from ${tableIn(schema)} where owner in ${list} order by owner for update`,
    );
    if (rows.some(({ higher }) => higher === 'true')) return false;
    await link.run(`update ${tableIn(schema)} set token = ${token} where owner in ${list}`);
    await link.run(`update ${tableIn(schema)} set token = ${NOBODYS} where ${isPartOf(owners)}`);
  }
  return true;
}

async function tableOf(link: Link, { stream, key }: KeptRun, name: RelationName): Promise<UndoTable> {
  const relation = await findRelation(link, name);
  const journal = await findRelation(link, journalOf(name));
  if (!relation || !journal) throw tableChanged(stream);
  const table = quoteRelation(name);
  const names = journal.columns.map((column) => column.name).filter((column) => ![SEQ, RUN, OP].includes(column));
  const now = new Map(keptColumns(relation).map((column) => [column.name, column]));
  const gone = [...names, ...key].find((column) => !now.has(column));
  if (gone !== undefined) throw tableChanged(stream, gone);
  return {
    table,
    journal: quoteRelation(journalOf(name)),
    columns: names,
    // The server numbers these itself and lets nobody change them.
    settable: names.filter((column) => now.get(column)?.generated === ''),
    key,
    quote: quoteName,
    // Not all types can be compared, and not all that are equal are the same.
    same: (one, other) => `${one}::text is not distinct from ${other}::text`,
    text: (value) => `${value}::text`,
    all: (tests) => `(${tests.join(' and ')})`,
  };
}

/** Forgets what is kept of runs. Where nothing is kept of a table any more, the triggers and the journal go too. */
export async function forgetRuns(link: Link, { sync, olderThan, except = '' }: ForgetRequest): Promise<void> {
  for (const schema of await schemasWith(link, UNDO_TABLE)) {
    const runs = quoteRelation(runsIn(schema));
    const isOld = olderThan === undefined ? '' : `and started_at <= clock_timestamp() - interval '${Math.round(olderThan)} milliseconds'`;
    const old = await link.query<{ id: string; table: string }>(
      `select id::text, "table" from ${runs} where sync = $1 and run <> $2 ${isOld} order by id`,
      [sync, except],
    );
    for (const [table, of] of Map.groupBy(old, (one) => one.table)) {
      await link.run('begin');
      try {
        await forgetTable(link, { schema, name: table }, of.map(({ id }) => id).join(', '));
        await link.run('commit');
      } catch (error) {
        await link.run('rollback').catch(() => {});
        throw error;
      }
    }
  }
}

async function forgetTable(link: Link, name: RelationName, ids: string): Promise<void> {
  // A run that begins now waits, or is seen.
  await link.run(`select pg_advisory_xact_lock(${lockOfTable(name)})`);
  const runs = quoteRelation(runsIn(name.schema));
  const journal = quoteRelation(journalOf(name));
  await link.run(`delete from ${runs} where id in (${ids})`);
  const [journalIs] = await link.query<{ name: string | null }>('select to_regclass($1)::text as name', [journal]);
  const used = await link.query(`select 1 from ${runs} where "table" = $1 limit 1`, [name.name]);
  if (used.length > 0) return journalIs?.name == null ? undefined : link.run(`delete from ${journal} where ${RUN} in (${ids})`);
  await dropTriggers(link, name);
  await link.run(`drop table if exists ${journal}`);
}
