import type { LogStream } from '../../changes.ts';
import type { Context } from '../../contract.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import type { Wire } from '../wire/connection.ts';
import { type ForeignKey, foreignKeys } from './cascades.ts';
import { TYPE } from './codes.ts';
import type { Description, LayoutSource } from './described-tables.ts';
import { type CharsetTable, fetchTable, needsTable, type TextReader, textReader } from './charsets.ts';
import { turnedSystems } from './geometry.ts';
import { type Layout, layoutOf, type NamedColumn } from './layout.ts';
import { columnsIn } from './table-map.ts';
import { LogAhead } from './log-ahead.ts';
import { areNamed, heldTable, nameColumns, tableNow } from './tables.ts';

/**
 * What rows look like: what the log says of a table, with what the catalogue knows of it. It is asked for on a connection of its own, which is there
 * only for that moment.
 */
export class CatalogueLayouts implements LayoutSource {
  readonly #config: MysqlConfig;
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #ahead: LogAhead;
  #charsets: ReadonlyMap<number, string> | undefined;
  #turned: ReadonlySet<number> | undefined;
  readonly #tables = new Map<string, CharsetTable>();
  readonly #readers = new Map<string, TextReader>();

  constructor(config: MysqlConfig, context: Context, { foldsCase, signal }: { foldsCase: boolean; signal: AbortSignal }) {
    this.#config = config;
    this.#context = context;
    this.#signal = signal;
    this.#ahead = new LogAhead(config, context, { foldsCase, signal });
  }

  async layoutOf(stream: number, request: LogStream, description: Description): Promise<Layout | string> {
    const wire = await connect(this.#config, this.#context, { mode: 'read', signal: this.#signal });
    try {
      const logged = columnsIn(description.columns, wire.isMariaDb);
      this.#charsets ??= await charsetsOf(wire);
      if (logged.some(({ type }) => type === TYPE.geometry)) this.#turned ??= await turnedSystems(wire);
      const charsetOf = (collation: number): string | undefined => this.#charsets?.get(collation);
      const now = await (areNamed(logged) ? tableNow : heldTable)(wire, this.#config, request.stream);
      // A second of the clock may be over between a statement and what it leaves.
      const columns = nameColumns(logged, now, { charsetOf, config: this.#config, writtenAt: description.time + 1 });
      if (!columns) return now ? 'what is there now does not fit' : 'the table is gone';
      // Columns of the same types may have other names by now. Clocks are too coarse to tell that: the log itself does.
      if (now?.end && (await this.#ahead.isAltered(now, description.place, now.end))) return 'the log alters it once more behind them';
      const named: (NamedColumn | undefined)[] = [];
      for (const [i, column] of columns.entries()) {
        const described = logged[i];
        if (!column || !described) named.push(undefined);
        else {
          const charset = (described.collation !== undefined && charsetOf(described.collation)) || column.characterSet;
          const text =
            column.reading === 'binary' || charset === null || charset === 'binary' ? undefined : await this.#reader(wire, charset);
          const options = {
            text: isUtf8Text(column.isJson, text) ?? text,
            zeroDates: this.#config.zero_dates ?? 'null',
            turned: this.#turned,
          };
          named.push({ logged: described, column, options });
        }
      }
      return layoutOf(stream, request, named, logged);
    } finally {
      wire.end();
    }
  }

  async foreignKeys(): Promise<ForeignKey[]> {
    const wire = await connect(this.#config, this.#context, { mode: 'read', signal: this.#signal });
    try {
      return await foreignKeys(wire);
    } finally {
      wire.end();
    }
  }

  async #reader(wire: Wire, charset: string): Promise<TextReader> {
    const known = this.#readers.get(charset);
    if (known) return known;
    if (needsTable(charset) && !this.#tables.has(charset)) this.#tables.set(charset, await fetchTable(wire, charset));
    const reader = textReader(charset, this.#tables.get(charset));
    this.#readers.set(charset, reader);
    return reader;
  }
}

/** JSON is UTF-8 also where nothing says so. */
function isUtf8Text(isJson: boolean, text: TextReader | undefined): TextReader | undefined {
  return isJson && !text ? textReader('utf8mb4', undefined) : undefined;
}

async function charsetsOf(wire: Wire): Promise<Map<number, string>> {
  const rows = await wire.rows('select id, character_set_name from information_schema.collations where id is not null');
  return new Map(rows.map(([id, charset]) => [Number(id), charset ?? '']));
}
