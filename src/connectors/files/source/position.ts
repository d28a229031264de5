import { OutsideError } from '../../../outside/errors.ts';

/** How far one file has been read. */
export interface FilePosition {
  readonly name: string;
  /** The file's stamp when it was read; undefined when it has none. */
  readonly stamp: string | undefined;
  /** Whether everything was read that the file had under this stamp. */
  readonly isDone: boolean;
  /** Bytes of its text (unpacked, as UTF-8) that were read; of Parquet, rows. */
  readonly offset: number;
  /** The line in which the next row begins. */
  readonly line: number;
  /** A checksum of those bytes: a file that changed is read on only when they are still the same. */
  readonly checksum: number;
  /** How many of those bytes belong to a last row without a line end: it may have been written half. */
  readonly open: number;
  /** How the file was understood, so that it is understood the same way when it is read on. */
  readonly reading: string;
}

type Entry = [string, string | null, 0 | 1, number, number, number, number, string];

/** One file's part of a position. Positions are kept with every batch: as short as can be. */
export function entryOf(file: FilePosition): string {
  const { name, stamp = null, isDone, offset, line, checksum, open, reading } = file;
  return JSON.stringify([name, stamp, isDone ? 1 : 0, offset, line, checksum, open, reading] satisfies Entry);
}

export function positionOf(entries: Iterable<string>): string {
  return `{"files":[${[...entries].join(',')}]}`;
}

export function readPosition(text: string): Map<string, FilePosition> {
  try {
    const { files } = JSON.parse(text) as { files: Entry[] };
    return new Map(
      files.map((entry) => {
        const [name, stamp, isDone, offset, line, checksum, open, reading] = entry;
        const isWell =
          entry.length === 8 &&
          typeof name === 'string' &&
          (stamp === null || typeof stamp === 'string') &&
          [isDone, offset, line, checksum, open].every((number) => Number.isSafeInteger(number) && number >= 0) &&
          open <= offset &&
          typeof reading === 'string';
        if (!isWell) throw new TypeError('an entry is malformed');
        return [name, { name, stamp: stamp ?? undefined, isDone: isDone === 1, offset, line, checksum, open, reading }];
      }),
    );
  } catch (error) {
    throw new OutsideError('config', 'POSITION_INVALID', 'The position to go on from is not one of a stream of files.', {
      hint: 'Reset the synchronization so that the stream is read from its beginning.',
      cause: error,
    });
  }
}
