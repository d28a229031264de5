import { createHash } from 'node:crypto';
import { OutsideError } from '../../../outside/errors.ts';
import { NameChoice, type NameRoom } from '../../sql-target/structure/fit-name.ts';
import { indexWords, nameAt, othersLeftOut, planOf, type StructurePlan } from '../../sql-target/structure/plan.ts';
import type { PlainIndex, StructuredStream } from '../../structure.ts';
import { findTable } from '../catalogue/discover.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';
import { numberOf } from '../wire/server-errors.ts';
import { commentLiteral } from '../write/column-definition.ts';
import { creationOf } from './describe.ts';
import { asPlain, givesNumbers, namesOf, numberedLater, ownOf } from './made-table.ts';
import { comment, lackingOf, markOption } from './marks.ts';
import { computingOf, type MysqlTableText, type TextPart, withNames } from './table-text.ts';

/** The server and what was configured for it. */
export interface MysqlSite {
  readonly wire: Wire;
  readonly config: MysqlConfig;
}

export const ROOM: NameRoom = { most: 64, foldsCase: true };

/** Gives a table that was made for it its keys, checks, next number and comment, and notes that references are left. */
export async function complete(site: MysqlSite, stream: StructuredStream): Promise<readonly string[]> {
  const { wire } = site;
  await waitForTurn(wire, stream.owner);
  const found = await lackingOf(wire, stream.stream, stream.owner);
  if (found?.lacking !== 'structure') return [];
  const warnings = [...(found.said === '' ? [] : [found.said]), ...leftOutOf(stream)];
  const there = await creationOf(wire, stream.stream);
  const additions = await additionsOf(site, stream, warnings);
  const isThere = ({ name }: TextPart): boolean =>
    [...there.keys, ...there.checks].some((part) => part.name.toLowerCase() === name.toLowerCase());
  await add(
    wire,
    stream.stream,
    additions.keys.filter((key) => !isThere(key)),
    warnings,
  );
  for (const check of additions.checks.filter((each) => !isThere(each))) await add(wire, stream.stream, [check], warnings);
  for (const column of additions.numbered) await attempt(wire, column, warnings);
  await moveNumber(wire, stream, warnings);
  const plan = planOf(stream);
  const hasReferences = plan.references.length > 0;
  if (hasReferences && !stream.connects)
    warnings.push('Foreign keys are left out while the synchronization is live: its first run in another mode makes them.');
  await comment(wire, stream.stream, hasReferences ? markOption('references', stream.owner) : commentOption(plan));
  return warnings;
}

export function commentOption(plan: Pick<StructurePlan, 'comment'>): string {
  return `comment = ${commentLiteral(plan.comment ?? '')}`;
}

/** A worker that was thought dead may be at it still: a statement goes on at the server when who sent it is gone. */
export async function waitForTurn(wire: Wire, owner: string): Promise<void> {
  const name = `syncline_${createHash('sha256').update(owner).digest('hex').slice(0, 40)}`;
  const [[got] = []] = await wire.rows(`select get_lock(${textLiteral(name)}, 600)`);
  if (got !== '1') throw new OutsideError('transient', 'STRUCTURE_BUSY', 'Another worker makes the structure of the table still.');
}

interface Addition extends TextPart {
  /** How it is called in a sentence. */
  readonly what: string;
}

interface Additions {
  readonly keys: readonly Addition[];
  readonly checks: readonly Addition[];
  /** Statements that let the server give the numbers of a column, which has an index by now. */
  readonly numbered: readonly { what: string; statement: string }[];
}

async function additionsOf(site: MysqlSite, stream: StructuredStream, warnings: string[]): Promise<Additions> {
  const own = ownOf(stream);
  if (own) return ownAdditions(stream, own, warnings);
  const table = await findTable(site.wire, site.config, stream.stream);
  const isLong = (column: string): boolean =>
    /(?:text|blob|json)$/.test(table?.columns.find(({ name }) => name === column)?.dataType ?? '');
  const names = new NameChoice(ROOM);
  return { keys: planOf(stream).indexes.map((index) => plainKey(index, names, isLong)), checks: [], numbered: [] };
}

function ownAdditions(stream: StructuredStream, own: MysqlTableText, warnings: string[]): Additions {
  const names = namesOf(stream, own);
  const renamed = (parts: readonly TextPart[], word: string): Addition[] =>
    parts.flatMap(({ name, text }) => {
      const made = withNames(text, names);
      const what = `The ${word} "${name}"`;
      if ('text' in made) return [{ name, text: made.text, what }];
      const isTold = word === 'index' && stream.described?.plain.indexes.some((index) => index.name === name);
      if (!isTold) warnings.push(`${what} is left out: "${made.missing}" is not brought over as it is.`);
      return [];
    });
  const numbered = numberedLater(own).flatMap((name) => {
    const at = nameAt(stream, name);
    const text = own.columns.find((column) => column.name === name)?.text ?? '';
    if (at === undefined) return [];
    return [
      {
        what: `That new rows get a number in the column "${at}"`,
        statement: `alter table ${quote(stream.stream)} modify column ${asPlain(text, at, names)}`,
      },
    ];
  });
  return { keys: renamed(own.keys, 'index'), checks: renamed(own.checks, 'check'), numbered };
}

/** How much of a long text is in an index that need not tell all of them apart. */
const LONG_PREFIX = 191;

function plainKey(index: PlainIndex, names: NameChoice, isLong: (column: string) => boolean): Addition {
  const { columns, isUnique } = index;
  const wanted = index.name ?? `${columns.map(({ name }) => name).join('_')}_${isUnique ? 'key' : 'idx'}`;
  const name = names.choose([wanted.toUpperCase() === 'PRIMARY' ? `${wanted}_idx` : wanted.trimEnd()]);
  const list = columns.map(
    (column) => `${quote(column.name)}${isLong(column.name) && !isUnique ? `(${LONG_PREFIX})` : ''}${column.isDescending ? ' desc' : ''}`,
  );
  return { name, what: indexWords(index), text: `${isUnique ? 'unique ' : ''}index ${quote(name)} (${list.join(', ')})` };
}

/** All in one statement, which reads the rows once; one by one when the server refuses one of them. */
async function add(wire: Wire, table: string, parts: readonly Addition[], warnings: string[]): Promise<void> {
  if (parts.length === 0) return;
  const statement = (some: readonly Addition[]): string =>
    `alter table ${quote(table)} ${some.map(({ text }) => `add ${text}`).join(', ')}`;
  const before = warnings.length;
  if (await attempt(wire, { what: parts[0]?.what ?? '', statement: statement(parts) }, warnings)) return;
  if (parts.length === 1) return;
  warnings.length = before;
  for (const part of parts) await attempt(wire, { what: part.what, statement: statement([part]) }, warnings);
}

/** Whether the server has done it. What it refuses is a warning: the rows are there all the same. */
export async function attempt(wire: Wire, { what, statement }: { what: string; statement: string }, warnings: string[]): Promise<boolean> {
  try {
    await wire.run(statement);
    return true;
  } catch (error) {
    if (!(error instanceof OutsideError) || numberOf(error) === undefined || !['config', 'data'].includes(error.kind)) throw error;
    const why = error.message.replace(/\.$/, '');
    warnings.push(
      error.kind === 'data'
        ? `${what} could not be made, as rows are against it: ${why}. Mend them, then run: ${statement}`
        : `${what} could not be made: ${why}.`,
    );
    return false;
  }
}

/** What the table does not get whatever the server says, in sentences. */
function leftOutOf(stream: StructuredStream): string[] {
  const own = ownOf(stream);
  const plan = planOf(stream);
  if (!own) {
    const unnumbered = plan.columns
      .filter((column) => column.isNumbered && !givesNumbers(plan, column))
      .map(({ name }) => `That new rows get a number in the column "${name}" is left out: it is not the first of the key.`);
    return [...plan.leftOut, ...othersLeftOut(stream), ...unnumbered];
  }
  const computed = own.columns
    .filter(({ name, text }) => computingOf(text) !== undefined && nameAt(stream, name) !== undefined)
    .map(({ name }) => `The column "${name}" is computed at the source; here it is a plain one, with what was read.`);
  const engine = /^ENGINE=(?!InnoDB\b)(\w+)/.exec(own.options)?.[1];
  return [
    ...plan.leftOut,
    ...computed,
    ...(engine === undefined ? [] : [`The engine ${engine} is left out: rows and position are written together, which InnoDB can.`]),
  ];
}

/** Moves the next number of a table to where that of the source is, and never back. */
export async function moveNumber(wire: Wire, stream: StructuredStream, warnings: string[]): Promise<void> {
  const next = planOf(stream).columns.find(({ isNumbered }) => isNumbered)?.next;
  if (next == null) return;
  if (!wire.isMariaDb) await wire.run('set session information_schema_stats_expiry = 0');
  const [[now] = []] = await wire.rows(
    `select auto_increment from information_schema.tables where table_schema = database() and table_name = ${textLiteral(stream.stream)}`,
  );
  if (now == null || BigInt(now) >= BigInt(next)) return;
  await attempt(
    wire,
    { what: 'The next number', statement: `alter table ${quote(stream.stream)} auto_increment = ${BigInt(next)}` },
    warnings,
  );
}
