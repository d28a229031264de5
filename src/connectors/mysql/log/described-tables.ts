import type { LogStream } from '../../changes.ts';
import { type Cascade, cascadesOf, type ForeignKey } from './cascades.ts';
import type { LogEvent } from './events.ts';
import type { Layout } from './layout.ts';
import type { LogPlace } from './positions.ts';
import { tableMapHead } from './table-map.ts';

/** When and where a table was described. */
export interface Description {
  readonly columns: Buffer;
  /** In seconds, as far as the log tells. */
  readonly time: number;
  /** Its rows come behind this. */
  readonly place: Omit<LogPlace, 'gtid'>;
}

/** What has to be asked of the server: of tables only when a description is new or has changed. */
export interface LayoutSource {
  /** The layout of rows of which these fields are wanted, or why they cannot be read. */
  layoutOf(stream: number, request: LogStream, description: Description): Promise<Layout | string>;
  foreignKeys(): Promise<readonly ForeignKey[]>;
}

/** What is known of a table whose rows follow. */
export interface DescribedTable {
  /** Of the stream that it is. */
  readonly layout?: Layout | undefined;
  /** It is one that other tables depend on. */
  readonly cascade?: Cascade | undefined;
  /** Of the columns that they depend on. */
  readonly watched?: Layout | undefined;
}

interface KnownLayout {
  readonly columns: Buffer;
  readonly layout: Layout | undefined;
}

interface Ports {
  readonly database: string;
  readonly streams: readonly LogStream[];
  readonly foldsCase: boolean;
  readonly layouts: LayoutSource;
  /** The end of the event that is being read. */
  readonly readTo: () => Description['place'];
  /** The rows of a stream cannot be read. */
  readonly unknown: (stream: number, why: string) => void;
  readonly known: (layout: Layout) => void;
}

/** The tables that the log describes, as far as they concern us. */
export class DescribedTables {
  readonly #ports: Ports;
  readonly #streamOf: ReadonlyMap<string, number>;
  readonly #byId = new Map<number, DescribedTable | undefined>();
  readonly #known = new Map<string, KnownLayout>();
  #cascades: ReadonlyMap<string, Cascade> | undefined;
  /** When a statement that alters a stream was over, in seconds. */
  readonly #alteredAt = new Map<number, number>();

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#streamOf = new Map(ports.streams.map(({ stream }, i) => [this.nameOf(stream), i]));
  }

  nameOf(table: string): string {
    return this.#ports.foldsCase ? table.toLowerCase() : table;
  }

  isOurs(database: string): boolean {
    return this.nameOf(database) === this.nameOf(this.#ports.database);
  }

  /** The stream that a table is. */
  streamOf(table: string): number | undefined {
    return this.#streamOf.get(this.nameOf(table));
  }

  get(id: number): DescribedTable | undefined {
    return this.#byId.get(id);
  }

  /** Numbers of tables count within a file. */
  forgetNumbers(): void {
    this.#byId.clear();
  }

  /** The next description is looked at anew, also when it has the same types: a column may have got another name. */
  forget(stream: number, alteredAt: number): void {
    this.#known.delete(`stream ${stream}`);
    this.#alteredAt.set(stream, alteredAt);
  }

  /** Foreign keys may be others now. */
  forgetCascades(): void {
    this.#cascades = undefined;
  }

  /** Takes a description. A promise, where something has to be asked first. */
  describe(event: LogEvent): Promise<void> | undefined {
    const { id, database, table, columns } = tableMapHead(event);
    if (!this.isOurs(database)) return void this.#byId.set(id, undefined);
    const name = this.nameOf(table);
    const stream = this.#streamOf.get(name);
    const cascade = this.#cascades?.get(name);
    const known = stream === undefined ? undefined : this.#known.get(`stream ${stream}`);
    const watched = cascade && cascade.columns.length > 0 ? this.#known.get(`watched ${name}`) : undefined;
    const isKnown =
      this.#cascades !== undefined &&
      (stream === undefined || known?.columns.equals(columns)) &&
      (cascade === undefined || cascade.columns.length === 0 || watched?.columns.equals(columns));
    if (!isKnown) return this.#learn(name, stream, id, columns, event.time);
    if (known?.layout) this.#ports.known(known.layout);
    this.#byId.set(id, known?.layout || cascade ? { layout: known?.layout, cascade, watched: watched?.layout } : undefined);
    return undefined;
  }

  async #learn(name: string, stream: number | undefined, id: number, bytes: Buffer, time: number): Promise<void> {
    const { layouts, streams } = this.#ports;
    const place = this.#ports.readTo();
    this.#cascades ??= new Map(
      cascadesOf(await layouts.foreignKeys(), streams, (table) => this.nameOf(table)).map((cascade) => [cascade.table, cascade]),
    );
    // They are a piece of what has arrived, all of which they would keep.
    const columns = Buffer.from(bytes);
    let layout: Layout | undefined;
    if (stream !== undefined) {
      const known = this.#known.get(`stream ${stream}`);
      if (known?.columns.equals(columns)) ({ layout } = known);
      else {
        const found = await layouts.layoutOf(stream, streams[stream] as LogStream, {
          columns,
          time: Math.max(time, this.#alteredAt.get(stream) ?? 0),
          place,
        });
        if (typeof found === 'string') this.#ports.unknown(stream, found);
        else layout = found;
        this.#known.set(`stream ${stream}`, { columns, layout });
      }
      if (layout) this.#ports.known(layout);
    }
    const cascade = this.#cascades.get(name);
    let watched: Layout | undefined;
    if (cascade && cascade.columns.length > 0) {
      const request = { stream: name, fields: cascade.columns, key: cascade.columns };
      const found = await layouts.layoutOf(-1, request, { columns, time: Number.MAX_SAFE_INTEGER, place });
      if (typeof found !== 'string') watched = found;
      this.#known.set(`watched ${name}`, { columns, layout: watched });
    }
    this.#byId.set(id, layout || cascade ? { layout, cascade, watched } : undefined);
  }
}
