import type { Value } from '../../canonical.ts';
import type { TargetChange } from '../../changes.ts';
import { encodeValue } from '../../lines.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Placed } from '../../sql-target/apply/placed.ts';
import { quoteName } from '../catalogue/names.ts';
import type { PostgresColumn } from '../catalogue/relations.ts';
import { type AppliedStream, before, GROUP, PLACE } from './stream.ts';

/** Makes the temporary table that the changes of a stream go through; every commit empties it. */
export function createStage({ stage, table, columns, key }: AppliedStream): string {
  const read = (name: string): string => {
    const { native = '', base } = columns.find((column) => column.name === name) as PostgresColumn;
    // A domain may refuse null, which stands here where nothing is said. A user's type is written with its schema.
    const isDomain = base !== '' && /^("|\w+\.)/.test(native);
    return isDomain ? `${quoteName(name)}::pg_catalog.${quoteName(base)}` : quoteName(name);
  };
  const fields = columns.map(({ name }) => `${read(name)} as ${quoteName(name)}`);
  const keys = key.map((name, i) => `${read(name)} as ${before(i)}`);
  return `create temporary table if not exists ${stage} on commit delete rows as
    select 0::int4 as ${PLACE}, 0::int4 as ${GROUP}, ${[...fields, ...keys].join(', ')} from ${table} with no data`;
}

/** So much text is made before it is sent. */
const PIECE = 48 * 1024;

/** The rows of the stage, as COPY takes them. They are spelled while they are sent: the server takes in the first ones meanwhile. */
export class StageLines implements Iterable<Buffer> {
  readonly #stream: AppliedStream;
  readonly #places: readonly number[];
  readonly #groups: { readonly changes: readonly Placed[]; readonly number: number }[] = [];

  constructor(stream: AppliedStream) {
    this.#stream = stream;
    this.#places = stream.key.map((name) => stream.fields.findIndex((field) => field.name === name));
  }

  add(changes: readonly Placed[], number: number): void {
    this.#groups.push({ changes, number });
  }

  *[Symbol.iterator](): Iterator<Buffer> {
    let text = '';
    for (const { changes, number } of this.#groups)
      for (const one of changes) {
        text += this.#line(one, number);
        if (text.length < PIECE) continue;
        yield encoded(text);
        text = '';
      }
    if (text !== '') yield encoded(text);
  }

  #line({ place, change }: Placed, group: number): string {
    const { fields, key } = this.#stream;
    let line = `${place}\t${group}`;
    if (change.op === 'delete' || change.op === 'truncate') {
      const values: Value[] = fields.map(() => null);
      if (change.op === 'delete') for (let i = 0; i < key.length; i++) values[this.#places[i] as number] = change.key[i] as Value;
      for (const value of values) line += `\t${encodeValue(value)}`;
    } else for (let i = 0; i < fields.length; i++) line += `\t${encodeValue(change.row[i] ?? null)}`;
    for (let i = 0; i < key.length; i++) line += `\t${encodeValue(keyBefore(change, i))}`;
    return `${line}\n`;
  }
}

function encoded(text: string): Buffer {
  // A lone surrogate has no UTF-8; to write U+FFFD instead would change the value in silence.
  if (!text.isWellFormed()) throw new OutsideError('data', 'BAD_TEXT', 'A text contains half of a surrogate pair.');
  return Buffer.from(text);
}

function keyBefore(change: TargetChange, index: number): Value {
  return change.op === 'update' ? (change.key?.[index] ?? null) : null;
}
