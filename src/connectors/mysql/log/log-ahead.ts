import type { Context } from '../../contract.ts';
import type { MysqlConfig } from '../manifest.ts';
import { EVENT } from './codes.ts';
import type { Description } from './described-tables.ts';
import { scanLog } from './dump.ts';
import { endBehind, isArtificial, type LogEvent, rotationIn, statementIn } from './events.ts';
import { numberOfFile } from './positions.ts';
import type { ReadTo } from './stall.ts';
import { meaningOfStatement } from './statements.ts';
import type { TableNow } from './tables.ts';

/** So much may the clock of a server have been set back, in seconds. */
const SET_BACK = 60;

interface Options {
  readonly foldsCase: boolean;
  readonly signal: AbortSignal;
}

/**
 * What statements do to tables further on in the log. A reader that is behind cannot take the columns of a table from the catalogue when one of them
 * stands between the rows and now. No part of the log is read ahead twice, however many tables are asked for.
 */
export class LogAhead {
  readonly #config: MysqlConfig;
  readonly #context: Context;
  readonly #options: Options;
  #readTo: ReadTo | undefined;
  /** Where each table was altered last, by its name; the empty name is for all of them. */
  readonly #altered = new Map<string, ReadTo>();

  constructor(config: MysqlConfig, context: Context, options: Options) {
    this.#config = config;
    this.#context = context;
    this.#options = options;
  }

  /** Whether a table is altered between a place and a later one. */
  async isAltered({ name, alteredAt, isDated }: TableNow, after: Description['place'], end: ReadTo): Promise<boolean> {
    // All that is in a file was written after it was begun.
    if (isDated && alteredAt + SET_BACK < after.made) return false;
    await this.#readOn(after, end);
    return [name, ''].some((each) => {
      const last = this.#altered.get(this.#nameOf(each));
      return last !== undefined && isBefore(after, last);
    });
  }

  async #readOn({ server, file, at }: Description['place'], end: ReadTo): Promise<void> {
    const from = this.#readTo && isBefore({ file, at }, this.#readTo) ? this.#readTo : { file, at };
    if (!isBefore(from, end)) return;
    let place = from;
    await scanLog(this.#config, this.#context, { ...from, server, signal: this.#options.signal }, (event) => {
      place = this.#take(event, place);
      return isBefore(place, end);
    });
    // Where less has come, the rest was not yet to be had by readers: then no statement on a table that others can use is in it.
    this.#readTo = place;
  }

  /** Answers where the event ends. */
  #take(event: LogEvent, { file, at }: ReadTo): ReadTo {
    if (event.type === EVENT.rotate) return rotationIn(event);
    if (isArtificial(event)) return { file, at };
    const place = { file, at: endBehind(at, event.endsAt) };
    if (event.type === EVENT.query || event.type === EVENT.mariadbCompressedQuery) this.#understand(event, place);
    return place;
  }

  #understand(event: LogEvent, place: ReadTo): void {
    const { text, database } = statementIn(event);
    const meaning = meaningOfStatement(text, database);
    if (meaning.is !== 'tables') return;
    // One that is emptied keeps its columns, and one that is made new was dropped before.
    for (const { database: of, table = '', what } of meaning.effects)
      if (this.#nameOf(of) === this.#nameOf(this.#config.database) && what !== 'truncated' && what !== 'created')
        this.#altered.set(this.#nameOf(table), place);
  }

  #nameOf(table: string): string {
    return this.#options.foldsCase ? table.toLowerCase() : table;
  }
}

function isBefore(one: ReadTo, other: ReadTo): boolean {
  const [first, second] = [numberOfFile(one.file), numberOfFile(other.file)];
  return first === second ? one.at < other.at : first < second;
}
