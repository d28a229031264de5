import { OutsideError } from '../../../outside/errors.ts';
import { parseStreamName, quoteRelation, quoteText, type RelationName } from '../catalogue/names.ts';
import type { StructuredStream } from '../../structure.ts';
import { LANGUAGE } from '../manifest.ts';
import type { Link } from '../wire/link.ts';
import { sqlState } from '../wire/sql-errors.ts';
import { SORT_IN_MEMORY } from '../write/load.ts';
import type { TableStructure } from './described.ts';
import { structureFromPlain } from './from-plain.ts';
import type { Lacking } from '../../sql-target/structure/lacking.ts';
import { lackingOf } from './marks.ts';

/** A table of the target, and what it is to be given. */
export interface Site {
  readonly link: Link;
  readonly table: RelationName;
  /** In a statement. */
  readonly place: string;
  readonly stream: StructuredStream;
  readonly wanted: TableStructure;
  /** What stays behind whatever the server says, in sentences. */
  readonly leftOut: readonly string[];
  /** What could not be made, in sentences. */
  readonly warnings: string[];
}

/** What a view has, or a table that is gone. */
const NOTHING: TableStructure = { schema: '', name: '', comment: null, isPartitioned: false, columns: [], objects: [], references: [] };

export function siteOf(link: Link, stream: StructuredStream, home: string): Site {
  const table = parseStreamName(stream.stream, home);
  const about = { link, table, place: quoteRelation(table), warnings: [] };
  const { described } = stream;
  if (!described) return { ...about, stream, wanted: NOTHING, leftOut: [] };
  if (described.language === LANGUAGE) return { ...about, stream, wanted: described.own as TableStructure, leftOut: [] };
  // Names are those of the target by now.
  return { ...about, stream: { ...stream, fields: null }, ...structureFromPlain(stream, home) };
}

/** NULL takes a comment away. */
export function commentOn(what: string, comment: string | null): string {
  return `comment on ${what} is ${comment === null ? 'null' : quoteText(comment)}`;
}

/** Something to make: how it is called, how one sees that it is there, and the statement that makes it. */
export interface StructureStep {
  readonly what: string;
  readonly lacking: Lacking;
  /** A query that has rows when it is there already. */
  readonly isThere?: string;
  readonly make: string;
  /** What to run when the rows that are against it are mended; the same unless it says. */
  readonly mend?: string;
  /** Others like it may be made at the same time: each has its own `what`. */
  readonly isBeside?: true;
}

/** So many are made at the same time, of each table. */
export const SIDE_BY_SIDE = 2;

/**
 * Makes one thing in a transaction of its own, unless it is there. What the server refuses is a warning: the rows are there all the same. The lock keeps a worker that was
 * thought dead from making the same at the same time.
 */
export async function take(site: Site, step: StructureStep): Promise<boolean> {
  const { link, table, stream, warnings } = site;
  const { what, lacking, isThere, make, mend = make } = step;
  try {
    await link.run(`begin; set local search_path = ''; ${lockOf(stream.owner, step)}; ${SORT_IN_MEMORY}`);
    const isDone =
      (await lackingOf(link, table, stream.owner)) !== lacking || (isThere !== undefined && (await link.query(isThere)).length > 0);
    await link.run(isDone ? 'commit' : `${make}; commit`);
    return true;
  } catch (error) {
    await link.run('rollback').catch(() => {});
    const why = refusalOf(error);
    // Rows that are against it: https://www.postgresql.org/docs/current/errcodes-appendix.html, class 23.
    const next = sqlState(error)?.startsWith('23') ? ` Mend the rows, then run: ${mend}` : '';
    warnings.push(`${what} of "${stream.stream}" could not be made: ${why}.${next}`);
    return false;
  }
}

/** What is made side by side shares the table with its like, and with nothing else. */
function lockOf(owner: string, { what, isBeside }: StructureStep): string {
  const number = (name: string): string => `hashtextextended(${quoteText(name)}, 7)`;
  if (!isBeside) return `select pg_advisory_xact_lock(${number(owner)})`;
  return `select pg_advisory_xact_lock_shared(${number(owner)}); select pg_advisory_xact_lock(${number(`${owner} ${what}`)})`;
}

/** What the server says against a statement; throws what is not for the server to say, or may be otherwise in a moment. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof OutsideError) || sqlState(error) === undefined || ['transient', 'fenced'].includes(error.kind)) throw error;
  return error.message.replace(/\.$/, '');
}
