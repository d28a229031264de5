import type { Batch } from './batch.ts';
import type { Applier, ApplyRequest, ChangeLog } from './changes.ts';
import type { CheckReport, Context, Manifest, Outline, Range, ReadRequest, Stream, WriteRequest, Writer } from './contract.ts';
import type { Digesting } from './digests.ts';
import type { Structuring } from './structure.ts';
import type { RunUndo } from './undo.ts';

/** A connector: what it is, and how to reach the system that a configuration names. */
export interface Connector<Config = never> {
  readonly manifest: Manifest;
  /** Makes a session. It may connect now or when first needed; `config` fits the schema, with its defaults filled in. */
  open(config: Config, context: Context): Promise<Session>;
  /** What a configuration tells by itself: nothing is connected to. Where the manifest says `outlines`. */
  outline?(config: Config, context: Context): Promise<Outline>;
}

/** A way to one system. Calls may overlap. Everything it throws is a OutsideError, or a bug. */
export interface Session {
  /** Tests the connection within ten seconds and throws what is wrong in words a person can act on. */
  check(): Promise<CheckReport>;
  /**
   * The streams there are, with their fields; with names, it may look at these alone, and answers none where the file or folder for them is still to be made. Without names it
   * throws what is wrong when that is away.
   */
  discover(names?: readonly string[]): Promise<Stream[]>;
  /** Reads a stream, a batch at a time; the next batch is fetched when it is asked for, or a little before. */
  read(request: ReadRequest): AsyncIterable<Batch>;
  /**
   * Cuts a read into ranges of about so many rows each, in their order. Every row is in one of them, also one that comes later. With fewer
   * than two, the read cannot be cut, or is not worth it.
   */
  ranges?(request: ReadRequest, rows: number): Promise<readonly Range[]>;
  /** Digests rows itself, so that equal ones need not be read. */
  readonly digests?: Digesting;
  /** Opens a stream for writing: creates or extends it, takes the checkpoint over with our token. */
  write(request: WriteRequest): Promise<Writer>;
  /** What the system itself writes down of changes, where it can be followed. */
  readonly log?: ChangeLog;
  /** Opens several streams for changes: creates or extends them, takes their one checkpoint over with our token. */
  apply?(request: ApplyRequest): Promise<Applier>;
  /** What streams have beside fields and rows, where there is `Abilities.structure`. */
  readonly structure?: Structuring;
  /** Takes runs back, where what they replace is kept. */
  readonly undo?: RunUndo;
  /** Lets go of everything; what is under way fails. */
  close(): Promise<void>;
}
