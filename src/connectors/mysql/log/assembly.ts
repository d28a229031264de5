import type { ChangeSet, LogStream } from '../../changes.ts';
import { EVENT } from './codes.ts';
import {
  type Beginning,
  beginningOf,
  endBehind,
  eventsInPayload,
  formatIn,
  isArtificial,
  type LogEvent,
  type LogFormat,
  type LoggedStatement,
  mariadbBeginningIn,
  mysqlBeginningIn,
  NO_FORMAT,
  rotationIn,
  statementIn,
  WRAP,
  xidIn,
} from './events.ts';
import { CollectedChanges } from './collected.ts';
import { DescribedTables, type LayoutSource } from './described-tables.ts';
import { logIncident, logReset, lostStream, type LostReason } from './gaps.ts';
import { GtidSet, parseDomains, printDomains } from './gtids.ts';
import type { Layout } from './layout.ts';
import { tellsTheSame } from './layout.ts';
import { type LogPlace, toLogPosition } from './positions.ts';
import { cascaded, isRows, readRows, tableIdOf } from './rows.ts';
import { meaningOfStatement, type TableEffect } from './statements.ts';

interface AssemblyOptions {
  readonly database: string;
  readonly streams: readonly LogStream[];
  readonly foldsCase: boolean;
  readonly place: LogPlace;
  /** The server that is read now, and whether it is that of the place. */
  readonly server: string;
  readonly isSameServer: boolean;
  readonly hasChecksums: boolean;
  readonly layouts: LayoutSource;
}

/** Makes sets of changes of the events of the log. It knows no network: events are handed to it, and sets are taken. */
export class LogAssembly {
  readonly #options: AssemblyOptions;
  readonly #collected = new CollectedChanges();
  readonly #tables: DescribedTables;
  #format: LogFormat;
  #file: string;
  #made: number;
  /** Where the last event ended. */
  #at: number;
  /** Behind the last whole transaction. */
  #place: Omit<LogPlace, 'gtid'>;
  readonly #domains: ReturnType<typeof parseDomains> | undefined;
  #set: GtidSet | undefined;
  #isFirstFormat = true;
  #beginning: Beginning | undefined;
  #isWithin = false;
  #isPrepared = false;
  /** Streams that a prepared transaction changes. */
  readonly #touched = new Set<number>();
  /** What prepared transactions change, by their names. */
  readonly #prepared = new Map<string, readonly number[]>();
  /** Streams that were told as lost in this transaction, and why. */
  readonly #lost = new Set<string>();
  readonly #told: (Layout | undefined)[] = [];
  #payload: AsyncGenerator<LogEvent> | undefined;

  constructor(options: AssemblyOptions) {
    this.#options = options;
    const { place, hasChecksums } = options;
    this.#tables = new DescribedTables({
      ...options,
      readTo: () => this.readTo,
      unknown: (stream, why) => this.#loseUnknown(stream, why),
      known: (layout) => this.#tellFields(layout),
    });
    this.#format = { ...NO_FORMAT, hasChecksums };
    this.#file = place.file;
    this.#made = place.made;
    this.#at = place.at;
    this.#place = place;
    const isMariaDb = place.gtid !== undefined && !place.gtid.includes(':') && options.server.startsWith('mariadb:');
    this.#domains = isMariaDb ? parseDomains(place.gtid ?? '') : undefined;
    this.#set = place.gtid !== undefined && !isMariaDb ? GtidSet.parse(place.gtid) : undefined;
  }

  get format(): LogFormat {
    return this.#format;
  }

  get bytes(): number {
    return this.#collected.bytes;
  }

  get hasWhole(): boolean {
    return this.#collected.hasWhole;
  }

  get hasMoved(): boolean {
    return this.#collected.hasMoved;
  }

  /** The end of the last event. */
  get readTo(): Omit<LogPlace, 'gtid'> {
    return { server: this.#options.server, file: this.#file, at: this.#at, made: this.#made };
  }

  /** Behind the last whole transaction. What is committed is spelled only when it is asked for: there are thousands of transactions in a set. */
  get place(): LogPlace {
    const gtid = this.#domains ? printDomains(this.#domains) : this.#set?.toString();
    const { server, file, at, made } = this.#place;
    return { server, file, at, made, ...(gtid !== undefined && { gtid }) };
  }

  take(): ChangeSet {
    return this.#collected.take(() => toLogPosition(this.place));
  }

  /** Moves to where the next event begins, before it is taken: some of its own events the server does not send. */
  approach(event: LogEvent): void {
    if (isArtificial(event) || event.type === EVENT.rotate || event.type === EVENT.heartbeat) return;
    const start = beginningOf(event);
    if (!this.#isBetween || start <= this.#at % WRAP) return;
    this.#moveTo(start);
    this.#mark(undefined);
  }

  /** Takes the next event. A promise, where something has to be asked first. */
  handle(event: LogEvent): Promise<void> | undefined {
    if (event.type === EVENT.heartbeat) {
      this.#rest(event);
      return undefined;
    }
    const isInFile = !isArtificial(event) && event.type !== EVENT.rotate;
    if (isInFile) this.#moveTo(event.endsAt);
    const pending = this.#handle(event);
    // A log may end with events of the server's own: it is read to its end all the same.
    if (isInFile && !pending && !this.isUnpacking && this.#isBetween) this.#mark(undefined);
    return pending;
  }

  /** No transaction is under way. */
  get #isBetween(): boolean {
    return !this.#isWithin && this.#beginning === undefined && !this.#isFirstFormat;
  }

  /** The server has nothing to tell, and says where it stands, behind events that it does not send. */
  #rest(event: LogEvent): void {
    const file = event.bytes.toString('utf8', event.start, event.end);
    if (!this.#isBetween || file !== this.#file || event.endsAt <= this.#at % WRAP) return;
    this.#moveTo(event.endsAt);
    this.#mark(undefined);
  }

  #handle(event: LogEvent): Promise<void> | undefined {
    switch (event.type) {
      case EVENT.formatDescription:
        this.#beginFile(event);
        return undefined;
      case EVENT.rotate: {
        const { file, at } = rotationIn(event);
        this.#file = file;
        this.#at = at;
        return undefined;
      }
      case EVENT.mariadbGtid:
        this.#begin(mariadbBeginningIn(event));
        this.#isWithin = !this.#beginning?.isAlone;
        return undefined;
      case EVENT.gtid:
      case EVENT.anonymousGtid:
        this.#begin(mysqlBeginningIn(event));
        return undefined;
      case EVENT.taggedGtid:
        // Its numbers are not understood: from here on the place alone counts.
        this.#set = undefined;
        this.#begin({});
        return undefined;
      case EVENT.query:
      case EVENT.mariadbCompressedQuery:
        this.#understand(event);
        return undefined;
      case EVENT.xid:
        this.#commit(event);
        return undefined;
      case EVENT.xaPrepare:
        // Its first byte says whether that was all.
        if (event.bytes[event.start] === 1) this.#commit(event);
        else this.#putAside(event);
        return undefined;
      case EVENT.tableMap:
        return this.#tables.describe(event);
      case EVENT.transactionPayload:
        this.#payload = eventsInPayload(event);
        return undefined;
      case EVENT.partialUpdateRows:
        this.#losePartial(event);
        return undefined;
      case EVENT.incident:
        throw logIncident();
      default:
        if (isRows(event.type)) this.#takeRows(event);
        return undefined;
    }
  }

  #moveTo(endsAt: number): void {
    this.#at = endBehind(this.#at, endsAt);
  }

  #beginFile(event: LogEvent): void {
    this.#format = formatIn(event);
    this.#tables.forgetNumbers();
    const { place, isSameServer } = this.#options;
    if (this.#isFirstFormat && isSameServer && place.made !== 0 && this.#format.madeAt !== place.made) throw logReset(place.file);
    this.#made = this.#format.madeAt;
    this.#isFirstFormat = false;
  }

  #begin(beginning: Beginning): void {
    this.#beginning = beginning;
    this.#isPrepared = beginning.isPrepared ?? false;
    this.#touched.clear();
    this.#lost.clear();
  }

  #commit(event: LogEvent): void {
    if (this.#isPrepared) return this.#putAside(event);
    this.#count(event);
    this.#mark(this.#beginning?.committedAt ?? event.time * 1000);
    this.#isWithin = false;
    this.#beginning = undefined;
  }

  #count({ serverId }: LogEvent): void {
    const { domain, source, number } = this.#beginning ?? {};
    if (number === undefined) return;
    if (domain !== undefined) this.#domains?.set(domain, { server: serverId, number });
    if (source !== undefined) this.#set?.add(source, number);
  }

  #mark(committedAt: number | undefined): void {
    this.#collected.mark(committedAt);
    this.#place = this.readTo;
  }

  /** A prepared transaction: nobody knows yet whether it will be committed, and its rows are told now only. What it changes is lost when it is. */
  #putAside(event: LogEvent): void {
    this.#rollBack();
    if (event.type === EVENT.xaPrepare) this.#prepared.set(xidIn(event), [...this.#touched]);
    this.#isPrepared = false;
    this.#commit(event);
  }

  /** Of one that was prepared before this reader began, it is not known what it changes. */
  #loseCommitted(xid: string): void {
    const name = xid.replaceAll(/\s/g, '').toLowerCase();
    for (const stream of this.#prepared.get(name) ?? this.#options.streams.keys()) this.#lose(stream, 'prepared');
    this.#prepared.delete(name);
  }

  #understand(event: LogEvent): void {
    const statement = statementIn(event);
    const meaning = meaningOfStatement(statement.text, statement.database);
    switch (meaning.is) {
      case 'begin':
        this.#isWithin = true;
        return;
      case 'xa-start':
        this.#isWithin = true;
        this.#isPrepared = true;
        return;
      case 'xa-commit':
        this.#loseCommitted(meaning.xid);
        break;
      case 'commit':
        this.#commit(event);
        return;
      case 'rollback':
        this.#rollBack();
        this.#commit(event);
        return;
      case 'savepoint':
        this.#collected.savepoint(meaning.name);
        return;
      case 'rollback-to':
        this.#rollBack(meaning.name);
        return;
      case 'rows':
        this.#loseMentioned(statement);
        break;
      case 'tables':
        for (const effect of meaning.effects) this.#affect(effect, event.time + statement.seconds);
        break;
      default:
    }
    // A statement that is a transaction by itself.
    if (!this.#isWithin) this.#commit(event);
  }

  #rollBack(savepoint?: string): void {
    for (const change of this.#collected.rollBack(savepoint)) if (change.op === 'fields') this.#told[change.stream] = undefined;
  }

  #affect({ database, table, what }: TableEffect, overAt: number): void {
    if (!this.#tables.isOurs(database)) return;
    if (what === 'altered' || what === 'created') this.#tables.forgetCascades();
    const streams = table === undefined ? [...this.#options.streams.keys()] : [this.#tables.streamOf(table)];
    for (const stream of streams) {
      if (stream === undefined) continue;
      this.#tables.forget(stream, overAt + 1);
      if (what === 'truncated') this.#collected.put({ op: 'truncate', stream }, 100);
      else if (what !== 'altered' && what !== 'created') this.#lose(stream, what);
    }
  }

  #loseMentioned({ database, text }: LoggedStatement): void {
    const words = this.#tables.nameOf(text);
    const isOurs = this.#tables.isOurs(database) || words.includes(this.#tables.nameOf(this.#options.database));
    for (const [stream, { stream: name }] of this.#options.streams.entries())
      if (isOurs && words.includes(this.#tables.nameOf(name))) this.#lose(stream, 'statement');
  }

  #losePartial(event: LogEvent): void {
    const layout = this.#tables.get(tableIdOf(event, this.#format))?.layout;
    if (layout) this.#lose(layout.stream, 'partial-json');
  }

  #lose(stream: number, reason: LostReason, detail?: string): void {
    if (this.#lost.has(`${stream} ${reason}`)) return;
    this.#lost.add(`${stream} ${reason}`);
    const name = this.#options.streams[stream]?.stream ?? '';
    this.#collected.put({ op: 'lost', stream, error: lostStream(reason, name, detail) }, 500);
  }

  #loseUnknown(stream: number, why: string): void {
    this.#lose(stream, 'unknown', why);
  }

  #tellFields(layout: Layout): void {
    const { stream, fields, keyNames } = layout;
    const told = this.#told[stream];
    if (told === layout) return;
    this.#told[stream] = layout;
    if (told && tellsTheSame(told, layout)) return;
    this.#collected.put({ op: 'fields', stream, fields, key: keyNames }, 100 + fields.length * 100);
  }

  #takeRows(event: LogEvent): void {
    const table = this.#tables.get(tableIdOf(event, this.#format));
    if (!table) return;
    const { layout, cascade, watched } = table;
    const streams = new Set(layout ? [layout.stream] : []);
    if (cascade) for (const stream of cascaded(event, this.#format, cascade, watched)) streams.add(stream);
    // Of a prepared transaction only what it touches is kept in mind.
    if (this.#isPrepared) for (const stream of streams) this.#touched.add(stream);
    else {
      if (layout)
        readRows(event, this.#format, layout, {
          take: (change, bytes) => this.#collected.put(change, bytes),
          missing: (stream) => this.#lose(stream, 'image'),
        });
      if (cascade) for (const stream of cascaded(event, this.#format, cascade, watched)) this.#lose(stream, 'cascade');
    }
  }

  /** A compressed transaction is under way: its events come by `unpack`, one by one. */
  get isUnpacking(): boolean {
    return this.#payload !== undefined;
  }

  async unpack(): Promise<void> {
    const next = await this.#payload?.next();
    if (next?.done === false) await this.#handle(next.value);
    else this.#payload = undefined;
  }
}
