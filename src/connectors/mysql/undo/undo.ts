import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { tableChanged } from '../../sql-target/undo/faults.ts';
import type { KeptRun } from '../../sql-target/undo/kept-run.ts';
import { OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import { joinedFor, putBack, type UndoTable, verdicts } from '../../sql-target/undo/statements.ts';
import type { UndoDialect } from '../../sql-target/undo/take-back.ts';
import type { ForgetRequest } from '../../undo.ts';
import { findTable } from '../catalogue/discover.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';
import { alone, dropTriggers, journalOf, keptColumns, RUNS } from './keeping.ts';

const VERDICTS = '_syncline_verdicts';

async function columnsIn(wire: Wire, table: string): Promise<string[]> {
  const rows = await wire.rows(
    `select column_name from information_schema.columns where table_schema = database() and table_name = ${textLiteral(table)} order by ordinal_position`,
  );
  return rows.map(([name]) => name ?? '');
}

/** How a run is taken back in MySQL and MariaDB. */
export function undoDialect(wire: Wire, config: MysqlConfig): UndoDialect {
  const tables = new Map<KeptRun, string>();
  const nameOf = (kept: KeptRun): string => tables.get(kept) as string;
  return {
    transaction: async (isMeant, work) => {
      // Made before, as within a transaction not every server lets it be made. What is read for it is locked, so that nobody changes it meanwhile.
      await wire.run(
        `create temporary table ${VERDICTS} (place bigint not null, first_seq bigint not null, last_seq bigint not null, act varchar(10) not null, why varchar(10) not null, key (place, act))`,
      );
      await wire.run('set session transaction isolation level repeatable read');
      await wire.run('start transaction');
      try {
        const result = await work();
        await wire.run(isMeant ? 'commit' : 'rollback');
        return result;
      } catch (error) {
        if (wire.isOpen) await wire.run('rollback').catch(() => wire.destroy());
        throw error;
      }
    },
    fence: (owners, token) => fence(wire, owners, token),
    keptOf: async (run) => {
      if ((await columnsIn(wire, UNDO_TABLE)).length === 0) return [];
      const rows = await wire.rows(
        `select id, stream, \`table\`, \`key\`, from_seq, filled, too_much, outcome from ${RUNS} where run = ${textLiteral(run)} order by id for update`,
      );
      return rows.map(([id, stream, table, key, fromSeq, filled, tooMuch, outcome]) => {
        const kept: KeptRun = {
          id: Number(id),
          run,
          stream: stream ?? '',
          fromSeq: Number(fromSeq),
          key: JSON.parse(key ?? '[]') as string[],
          isFilled: filled !== '0',
          isTooMuch: tooMuch !== '0',
          outcome: outcome ?? null,
        };
        tables.set(kept, table ?? '');
        return kept;
      });
    },
    newerThan: async (kept, sync) => {
      const rows = await wire.rows(
        `select r.run from ${RUNS} r where r.id > ${kept.id} and r.sync = ${textLiteral(sync)} and r.\`table\` = ${textLiteral(nameOf(kept))} and r.outcome is null
           and exists (select 1 from ${quote(journalOf(nameOf(kept)))} j where j.${RUN} = r.id and j.${SEQ} > r.from_seq)`,
      );
      return rows.map(([run]) => run ?? '');
    },
    tableOf: (kept) => tableOf(wire, config, kept, nameOf(kept)),
    judge: async (of, { id, fromSeq }) => {
      await wire.run(`insert into ${VERDICTS} select ${id}, v.* from (${verdicts(of, id, fromSeq)}) v`);
      return `(select first_seq, last_seq, act, why from ${VERDICTS} where place = ${id})`;
    },
    rows: (statement) => wire.rows(statement),
    remove: async (of, acts) => {
      const { image, isIt, which } = joinedFor(of, acts, 'remove');
      await wire.run(`delete t from ${image} join ${of.table} t on ${isIt} where ${which}`);
    },
    change: async (of, acts) => {
      const { image, isIt, which } = joinedFor(of, acts, 'change');
      const sets = of.settable.map((name) => `t.${quote(name)} = j.${quote(name)}`);
      await wire.run(`update ${image} join ${of.table} t on ${isIt} set ${sets.join(', ')} where ${which}`);
    },
    bring: async (of, acts) => {
      await wire.run(putBack(of, acts, 'bring'));
    },
    attempt: async (work) => {
      await wire.run('savepoint attempt');
      try {
        await work();
      } catch (error) {
        if (wire.isOpen) await wire.run('rollback to savepoint attempt');
        throw error;
      }
    },
    done: async (kept, outcome) => {
      await wire.run(`update ${RUNS} set outcome = ${textLiteral(outcome)} where id = ${kept.id}`);
      await wire.run(`delete from ${quote(journalOf(nameOf(kept)))} where ${RUN} = ${kept.id} and ${SEQ} > ${kept.fromSeq}`);
    },
  };
}

async function fence(wire: Wire, owners: readonly string[], token: bigint): Promise<boolean> {
  if (owners.length === 0 || (await columnsIn(wire, CHECKPOINT_TABLE)).length === 0) return true;
  const list = `(${owners.map(textLiteral).join(', ')})`;
  const rows = await wire.rows(`select token > ${token} from ${quote(CHECKPOINT_TABLE)} where owner in ${list} order by owner for update`);
  if (rows.some(([higher]) => higher === '1')) return false;
  await wire.run(`update ${quote(CHECKPOINT_TABLE)} set token = ${token} where owner in ${list}`);
  return true;
}

const TEXTS = /char|text|enum|set|json/;
const BYTES = /binary|blob|bit|geometry|point|linestring|polygon/;

async function tableOf(wire: Wire, config: MysqlConfig, { stream, key }: KeptRun, name: string): Promise<UndoTable> {
  const table = await findTable(wire, config, name);
  const kept = await columnsIn(wire, journalOf(name));
  if (!table || table.kind === 'view' || kept.length === 0) throw tableChanged(stream);
  const columns = kept.filter((column) => ![SEQ, RUN, OP].includes(column));
  const now = new Map(keptColumns(table).map((column) => [column.name, column]));
  const gone = [...columns, ...key].find((column) => !now.has(column));
  if (gone !== undefined) throw tableChanged(stream, gone);
  const typeOf = (column: string): string => now.get(column)?.dataType ?? '';
  return {
    table: quote(table.name),
    journal: quote(journalOf(name)),
    columns,
    settable: columns,
    key,
    quote,
    // What a collation takes for equal may still be another text.
    same: (one, other, column) =>
      TEXTS.test(typeOf(column)) ? `cast(${one} as binary) <=> cast(${other} as binary)` : `${one} <=> ${other}`,
    text: (value, column) => (BYTES.test(typeOf(column)) ? `concat('\\\\x', lower(hex(${value})))` : `cast(${value} as char)`),
    all: (tests) => `(${tests.join(' and ')})`,
  };
}

/** Forgets what is kept of runs. Where nothing is kept of a table any more, the triggers and the journal go too. */
export async function forgetRuns(wire: Wire, { sync, olderThan, except = '' }: ForgetRequest): Promise<void> {
  if ((await columnsIn(wire, UNDO_TABLE)).length === 0) return;
  const isOld = olderThan === undefined ? '' : `and started_at <= utc_timestamp(6) - interval ${Math.round(olderThan / 1000)} second`;
  const old = await wire.rows(
    `select id, \`table\` from ${RUNS} where sync = ${textLiteral(sync)} and run <> ${textLiteral(except)} ${isOld} order by id`,
  );
  for (const [table, of] of Map.groupBy(old, ([, name]) => name ?? ''))
    await alone(wire, table, () => forgetTable(wire, table, of.map(([id]) => Number(id)).join(', ')));
}

async function forgetTable(wire: Wire, table: string, ids: string): Promise<void> {
  await wire.run(`delete from ${RUNS} where id in (${ids})`);
  const [used] = await wire.rows(`select 1 from ${RUNS} where \`table\` = ${textLiteral(table)} limit 1`);
  const journal = journalOf(table);
  if (used && (await columnsIn(wire, journal)).length > 0) await wire.run(`delete from ${quote(journal)} where ${RUN} in (${ids})`);
  if (used) return;
  await dropTriggers(wire, table);
  await wire.run(`drop table if exists ${quote(journal)}`);
}
