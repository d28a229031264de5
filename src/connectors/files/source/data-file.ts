/** A file that can be read, wherever it lies. */
export interface DataFile {
  /** How it is called in positions and in `_file`: its path below the folder, or its URL without secrets. */
  readonly name: string;
  /** Another text whenever the file may have changed; undefined when nobody can tell. */
  readonly stamp: string | undefined;
  /** What its writer has put on it, where the place keeps such a thing: it goes when the file is written anew. */
  readonly mark?: string;
  /** In bytes, where it is known. */
  readonly size: number | undefined;
  /** Its bytes from an offset on. Ending the loop early lets go of everything. */
  bytes(from: number, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Any part of it, for formats that are not read from front to back. */
  slice(from: number, to: number, signal: AbortSignal): Promise<Buffer>;
  /** Lets go of what `slice` holds open. */
  close(): Promise<void>;
}

export type Format = 'csv' | 'jsonl' | 'parquet';
export type Compression = 'none' | 'gzip' | 'zstd';

const FORMATS: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
  parquet: 'parquet',
  pq: 'parquet',
};

/** A file's name in parts: `a/orders.csv.gz` is `a/orders`, `csv`, `gz`. */
export function partsOf(name: string): { stem: string; extension: string; packed: string } {
  const packed = /\.(gz|zst|zstd)$/i.exec(name)?.[1] ?? '';
  const unpacked = packed === '' ? name : name.slice(0, -packed.length - 1);
  const extension = /[^/]\.([a-z0-9]{1,8})$/i.exec(unpacked)?.[1] ?? '';
  if (!Object.hasOwn(FORMATS, extension.toLowerCase())) return { stem: unpacked, extension: '', packed };
  return { stem: unpacked.slice(0, -extension.length - 1), extension: extension.toLowerCase(), packed };
}

/** The format that a file's name promises. */
export function formatOf(name: string): Format | undefined {
  return FORMATS[partsOf(name).extension];
}

/** What the first bytes say a file is packed with. */
export function compressionOf(head: Buffer): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none';
}

export function isParquet(head: Buffer): boolean {
  return head.subarray(0, 4).toString('latin1') === 'PAR1';
}
