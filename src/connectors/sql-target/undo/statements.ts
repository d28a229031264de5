import { AFTER, BEFORE, OP, RUN, SEQ } from './names.ts';

/** A table and its journal, as they are spelled in statements. */
export interface UndoTable {
  readonly table: string;
  readonly journal: string;
  /** The columns that the journal has of the table. */
  readonly columns: readonly string[];
  /** Those of them that a row can be given anew. */
  readonly settable: readonly string[];
  readonly key: readonly string[];
  readonly quote: (name: string) => string;
  /** That two expressions of a column are the same to the last sign, or both null. */
  readonly same: (one: string, other: string, column: string) => string;
  /** A value of a column as text. */
  readonly text: (value: string, column: string) => string;
  /** That all of these hold. */
  readonly all: (tests: readonly string[]) => string;
}

/** What becomes of a key: `same` needs nothing, `left` was changed since; the others are done. */
export type UndoAct = 'same' | 'left' | 'change' | 'bring' | 'remove';

/** The first and the last that the journal has of each key: what was before the run, and what it left. */
function ends({ journal, key, quote }: UndoTable, run: number, fromSeq: number): string {
  const columns = key.map(quote).join(', ');
  return `select min(${SEQ}) as first_seq, max(${SEQ}) as last_seq from ${journal} where ${SEQ} > ${fromSeq} and ${RUN} = ${run} group by ${columns}`;
}

const sameKey = ({ key, quote }: UndoTable, one: string, other: string): string =>
  key.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' and ');

const sameRow = (of: UndoTable, one: string, other: string): string =>
  of.all(of.columns.map((name) => of.same(`${one}.${of.quote(name)}`, `${other}.${of.quote(name)}`, name)));

/**
 * A query with a row for each key that the run has touched: the first and the last of it in the journal, and what is to become of it. A row that
 * is not as the run has left it belongs to others by now.
 */
export function verdicts(of: UndoTable, run: number, fromSeq: number): string {
  const isThere = `t.${of.quote(of.key[0] ?? '')} is not null`;
  const isAsBefore = `case when f.${OP} = '${BEFORE}' then ${isThere} and ${sameRow(of, 't', 'f')} else not (${isThere}) end`;
  const isAsLeft = `case when l.${OP} = '${AFTER}' then ${isThere} and ${sameRow(of, 't', 'l')} else not (${isThere}) end`;
  // What the run has put and taken again, or changed and changed back, is not its doing.
  const isNothing = `case when f.${OP} = '${AFTER}' then l.${OP} = '${BEFORE}' else l.${OP} = '${AFTER}' and ${sameRow(of, 'f', 'l')} end`;
  const act = `case when ${isNothing} or ${isAsBefore} then 'same' when not (${isAsLeft}) then 'left' when f.${OP} = '${AFTER}' then 'remove' when l.${OP} = '${AFTER}' then 'change' else 'bring' end`;
  const why = `case when l.${OP} = '${BEFORE}' then 'added' when ${isThere} then 'changed' else 'removed' end`;
  return `select e.first_seq, e.last_seq, ${act} as act, ${why} as why
    from (${ends(of, run, fromSeq)}) e join ${of.journal} f on f.${SEQ} = e.first_seq join ${of.journal} l on l.${SEQ} = e.last_seq
      left join ${of.table} t on ${sameKey(of, 't', 'l')}`;
}

/** What is joined to the verdicts `n` for those of one kind: the row of the table `t`, and the image `j` of its journal. */
export function joinedFor(of: UndoTable, acts: string, act: UndoAct): { image: string; isIt: string; which: string } {
  const seq = act === 'change' || act === 'bring' ? 'first_seq' : 'last_seq';
  return {
    image: `${acts} n join ${of.journal} j on j.${SEQ} = n.${seq}`,
    isIt: sameKey(of, 't', 'j'),
    which: `n.act = '${act}'`,
  };
}

/** Puts rows in as they were before the run. */
export function putBack(of: UndoTable, acts: string, act: 'bring' | 'change', overriding = ''): string {
  const { image, which } = joinedFor(of, acts, act);
  const list = of.columns.map(of.quote);
  return `insert into ${of.table} (${list.join(', ')}) ${overriding} select ${list.map((name) => `j.${name}`).join(', ')} from ${image} where ${which}`;
}

/** Rows of one kind: why, then the values of the table, then those of the image that decides. Of those that are left, only the key. */
export function listRows(of: UndoTable, acts: string, act: UndoAct, most: number): string {
  const { image, isIt, which } = joinedFor(of, acts, act);
  const names = act === 'left' ? of.key : of.columns;
  const values = ['t', 'j'].flatMap((side) => names.map((name, at) => `${of.text(`${side}.${of.quote(name)}`, name)} as ${side}_${at}`));
  return `select n.why, ${values.join(', ')} from ${image} left join ${of.table} t on ${isIt} where ${which} order by n.last_seq limit ${most}`;
}
