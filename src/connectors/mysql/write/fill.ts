import type { Reject } from '../../batch.ts';
import { bisect } from '../../bisect.ts';
import type { Field } from '../../contract.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import { membersOf, type TypedColumn, type ColumnWriting, writingOf } from '../catalogue/columns.ts';
import { LineReader } from './line-reader.ts';
import { quote } from '../catalogue/literals.ts';
import { lineStarts, type Portion, rowAt, without } from './portion.ts';
import { constraintsOf, needsConstraints, refusalOf, stageFault } from './refusals.ts';
import { CHECKS, isDataError, NO_LOCAL, numberOf, RefusedRow, serverError } from '../wire/server-errors.ts';
import type { Wire } from '../wire/connection.ts';

/** An INSERT is sent in statements of about this size. */
const STATEMENT_BYTES = 1024 * 1024;

/** How often rows that turn out to be bad are left out and the others tried again. */
const MOST_ROUNDS = 5;

/** How rows can be sent to the server. */
export interface Channel {
  /** Whether it takes LOAD DATA LOCAL, as far as we know. */
  canLoad: boolean;
  /** The longest statement. */
  readonly maxPacket: number;
}

/** Puts rows into a table: by LOAD DATA when the server allows it, else by INSERT. Never with a value changed on the way. */
export class Filler {
  readonly #wire: Wire;
  readonly #table: string;
  readonly #target: string;
  readonly #columns: readonly TypedColumn[];
  readonly #writings: readonly ColumnWriting[];
  readonly #reader: LineReader;
  readonly #verb: 'insert' | 'replace';
  readonly #channel: Channel;

  constructor(
    wire: Wire,
    options: {
      table: string;
      /** The table that the rows are meant for, when they wait in another one first. */
      target?: string;
      columns: readonly TypedColumn[];
      fields: readonly Field[];
      replaces: boolean;
      channel: Channel;
    },
  ) {
    this.#wire = wire;
    this.#table = quote(options.table);
    this.#target = options.target ?? options.table;
    this.#columns = options.columns;
    this.#writings = options.columns.map((column, i) => writingOf(options.fields[i] as Field, column));
    this.#reader = new LineReader(
      options.columns.map((column, i) => {
        const writing = this.#writings[i] as ColumnWriting;
        return writing === 'enum' ? { writing, members: membersOf(column) } : { writing };
      }),
    );
    this.#verb = options.replaces ? 'replace' : 'insert';
    this.#channel = options.channel;
  }

  /**
   * Loads all rows at once, within the transaction under way. Answers the rows that were rejected while all others are there
   * just as they were; or undefined when that cannot be had at once, and then nothing is there.
   */
  async load(portion: Portion): Promise<Reject[] | undefined> {
    if (!this.#channel.canLoad) return this.#insertAll(portion);
    const rejects: Reject[] = [];
    let rest = portion;
    for (let round = 0; round < MOST_ROUNDS && rest.count > 0; round++) {
      const refused = await this.#loadOnce(rest, '');
      if (refused === 'none') return rejects;
      if (!this.#channel.canLoad) return this.#insertAll(portion);
      if (refused === 'unknown') {
        // Keys that are there twice, perhaps. To replace them is asked for only now, as it makes the server stop at the first bad row.
        const isReplaced = this.#verb === 'replace' && (await this.#loadOnce(rest, 'replace ')) === 'none';
        return isReplaced ? rejects : undefined;
      }
      rejects.push(...(await this.#rejectsOf(rest, [...refused])));
      rest = without(rest, refused);
    }
    return rest.count === 0 ? rejects : undefined;
  }

  /**
   * The server says of a value that it had to change, and of a row that it had to leave out, only that there were warnings: so
   * a single warning undoes all. Most warnings tell their row, which is then known to be bad.
   */
  async #loadOnce({ lines, count }: Portion, replace: '' | 'replace '): Promise<Map<number, OutsideError> | 'none' | 'unknown'> {
    const refused = new Map<number, OutsideError>();
    await this.#wire.run('savepoint filling');
    try {
      const { info, warnings } = await this.#wire.load(this.#loadStatement(replace), this.#reader.file(lines));
      if (warnings === 0 && new RegExp(`Records: ${count} .*Skipped: 0\\b`).test(info)) return 'none';
      for (const [, code, message] of await this.#wire.rows('show warnings')) {
        const row = Number(/ at row (\d+)$/.exec(message ?? '')?.[1] ?? 0) - 1;
        if (row >= 0 && row < count && !refused.has(row)) refused.set(row, warningOf(code ?? '', message ?? ''));
      }
    } catch (error) {
      if (NO_LOCAL.includes(numberOf(error) ?? 0)) this.#channel.canLoad = false;
      else if (!isDataError(error)) throw error;
    }
    await this.#wire.run('rollback to savepoint filling');
    return refused.size > 0 ? refused : 'unknown';
  }

  /** Writes what can be written, and answers which rows cannot. `behind` does more with a slice that is in, such as merging it. */
  async fill(portion: Portion, behind: () => Promise<void> = () => Promise.resolve()): Promise<Reject[]> {
    const { lines, count } = portion;
    const starts = lineStarts(lines, count);
    const bad = await bisect([...starts.keys()].slice(0, -1), async (slice) => {
      await this.#wire.run('savepoint filling');
      try {
        const [from, to] = [slice[0] ?? 0, (slice.at(-1) ?? -1) + 1];
        await this.#insert(lines, starts.slice(from, to + 1));
        await behind();
      } catch (error) {
        if (this.#wire.isOpen) await this.#wire.run('rollback to savepoint filling');
        throw error;
      }
    });
    return this.#rejectsOf(
      portion,
      bad.map(({ index, error }) => [index, error] as const),
    );
  }

  /** What is told of rows that were refused. */
  async #rejectsOf(portion: Portion, refused: readonly (readonly [number, OutsideError])[]): Promise<Reject[]> {
    const isNamed = refused.some(([, error]) => needsConstraints(error));
    const constraints = isNamed ? await constraintsOf(this.#wire, this.#target) : new Map<string, string[]>();
    const starts = lineStarts(portion.lines, portion.count);
    const names = portion.fields.map(({ name }) => name);
    return refused.map(([index, thrown]) => {
      const row = rowAt(portion, starts, index);
      const isOfStage = this.#table !== quote(this.#target) && CHECKS.includes(numberOf(thrown) ?? 0);
      const error = (isOfStage && stageFault(this.#columns, names, row)) || thrown;
      return { index: portion.indexes?.[index] ?? index, row, ...refusalOf({ names, row, error }, constraints) };
    });
  }

  async #insertAll({ lines, count }: Portion): Promise<Reject[] | undefined> {
    await this.#wire.run('savepoint filling');
    try {
      await this.#insert(lines, lineStarts(lines, count));
      return [];
    } catch (error) {
      if (!isDataError(error)) throw error;
      await this.#wire.run('rollback to savepoint filling');
      return undefined;
    }
  }

  async #insert(lines: Buffer, starts: readonly number[]): Promise<void> {
    const head = Buffer.from(`${this.#verb} into ${this.#table} (${this.#columns.map((column) => quote(column.name)).join(', ')}) values `);
    let parts: Buffer[] = [head];
    let size = head.length;
    const send = async (): Promise<void> => {
      const { warnings } = await this.#wire.run(Buffer.concat(parts));
      if (warnings > 0) {
        const [[, code, message] = []] = await this.#wire.rows('show warnings limit 1');
        throw warningOf(code ?? '', message ?? '');
      }
      parts = [head];
      size = head.length;
    };
    for (let i = 0; i + 1 < starts.length; i++) {
      const values = this.#reader.values(lines, starts[i] as number, starts[i + 1] as number);
      // The server would not only refuse it but hang up.
      if (head.length + values.length + 1 > this.#channel.maxPacket) throw serverError(1153, '');
      if (parts.length > 1 && size + values.length > Math.min(STATEMENT_BYTES, this.#channel.maxPacket - 1)) await send();
      if (parts.length > 1) parts.push(Buffer.from(','));
      parts.push(values);
      size += values.length + 1;
    }
    if (parts.length > 1) await send();
  }

  #loadStatement(replace: '' | 'replace '): string {
    const names: string[] = [];
    const sets: string[] = [];
    for (const [i, column] of this.#columns.entries()) {
      const make = FROM_VARIABLE[this.#writings[i] as ColumnWriting];
      names.push(make ? `@v${i}` : quote(column.name));
      if (make) sets.push(`${quote(column.name)} = ${make(`@v${i}`)}`);
    }
    return (
      `load data local infile 'rows' ${replace}into table ${this.#table} character set utf8mb4 fields terminated by '\\t' escaped by '\\\\' lines terminated by '\\n' ` +
      `(${names.join(', ')})${sets.length > 0 ? ` set ${sets.join(', ')}` : ''}`
    );
  }
}

/** Columns that LOAD DATA cannot fill with text as it stands. */
const FROM_VARIABLE: Partial<Record<ColumnWriting, (variable: string) => string>> = {
  hex: (variable) => `unhex(${variable})`,
  geometry: (variable) => `st_geomfromwkb(unhex(${variable}))`,
  number: (variable) => `cast(${variable} as unsigned)`,
};

/** What the server only warned of. To us a changed value is an error. */
function warningOf(code: string, message: string): OutsideError {
  const error = serverError(Number(code), message);
  return isDataError(error)
    ? error
    : new RefusedRow('CHANGED', `the server would have changed the row (warning ${code})`, { words: message });
}
