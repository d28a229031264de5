import type { OutsideError } from '../../../outside/errors.ts';
import type { DataFile } from '../source/data-file.ts';
import type { Segment } from '../target/stage-state.ts';

/** Where files lie: in folders of this machine, in a bucket, on another machine. All that knows which of them it is stands behind this. */
export interface Place {
  /** What lies at a path. */
  look(path: string, signal: AbortSignal): Promise<{ kind: 'file' | 'folder' | 'nothing' }>;
  /** The path of a folder that is there, as it is walked; throws when it is missing. */
  folder(path: string, signal: AbortSignal): Promise<string>;
  /** What is in a folder. */
  entries(path: string, signal: AbortSignal): Promise<readonly Entry[]>;
  /** A file that is there; throws when it is missing. `entry` is what its folder told of it, where that is known. */
  file(path: string, name: string, signal: AbortSignal, entry?: Entry): Promise<DataFile>;
  /** What was kept about a file when we wrote it, under the name that belongs to the file's; undefined when nothing was. */
  kept(path: string, nameFor: (file: string) => string, signal: AbortSignal): Promise<string | undefined>;
  /** Where a file is written that is there or not yet. With `create`, folders above it are made. */
  target(path: string, create: boolean, signal: AbortSignal): Promise<TargetPlace>;
  /** Why nothing at all can be at a path. */
  fault?(path: string): OutsideError | undefined;
  /** What works, but should be known of it. */
  warnings?(): Promise<string[]>;
  /** What to do about a path at which nothing is, for people. */
  readonly pathHint: string;
  /** What it is called when it does not answer. */
  readonly title: string;
  close(): Promise<void>;
}

/** What a folder tells of what is in it. */
export interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  /** Of a file, where a list tells it as well. */
  readonly about?: { readonly size: number; readonly stamp: string };
}

/** Where one file is written, held until the writing ends. */
export interface TargetPlace {
  /** The path of the file, as `Place.file` takes it. */
  readonly path: string;
  /** What is kept beside it for one work, under a name. */
  work(name: string): Promise<WorkPlace>;
  /** Keeps something about the file, for `Place.kept`. */
  keep(name: string, text: string): Promise<void>;
  close(): void;
}

/** What is kept beside a file that is written, for one work on it. Names are of letters, digits, dashes and one ending. */
export interface WorkPlace {
  names(): Promise<string[]>;
  /** All of a small file; undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** Writes a small file so that it is there as a whole or not at all. */
  save(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Puts lines behind those of a segment that count, and answers what counts then. What a failed attempt left there is overwritten. */
  append(segment: Segment, lines: Buffer): Promise<Segment>;
  /** The bytes of a segment that count. */
  bytes(segment: Segment): AsyncIterable<Buffer>;
  /** Makes the file that shall take the target's place. `grows`: it begins with the bytes that are there. Answers the stamp that it will have. */
  make(name: string, chunks: AsyncIterable<Buffer>, grows: boolean, signal: AbortSignal): Promise<string>;
  /** Puts such a file in the place of the target, in one step. One that is gone has taken its place already; answers false when it is lost. */
  replace(name: string): Promise<boolean>;
  /** A path on this machine for what does not fit into memory while two files are compared. */
  scratch(): string;
  /** Lets go of segments that are being added to. */
  rest(): Promise<void>;
  close(): void;
}
