import { createHash } from 'node:crypto';
import type { Field } from '../../contract.ts';
import type { Place, TargetPlace } from '../place/place.ts';
import type { DataFile } from './data-file.ts';
import { type FileReading, writeReading } from './look.ts';

/** What CSV and JSON Lines cannot say of themselves, kept beside a file that we wrote. */
export interface RememberedFile {
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  /** How the file was written, in the words of `writeReading`. */
  readonly reading: string;
  /** The file's stamp: when another program has changed it since, this is no longer true. */
  readonly stamp: string;
}

function rememberedName(file: string): string {
  return `${createHash('sha256').update(file).digest('hex').slice(0, 24)}.types.json`;
}

/** Types and key of a file as we wrote it; undefined when we did not, or when it has been changed since. */
export async function recall(
  place: Place,
  path: string,
  { stamp, mark }: Pick<DataFile, 'stamp' | 'mark'>,
  signal: AbortSignal,
): Promise<RememberedFile | undefined> {
  try {
    const text = await place.kept(path, rememberedName, signal);
    const remembered = JSON.parse(text ?? 'null') as RememberedFile | null;
    const isSame = remembered !== null && (remembered.stamp === stamp || (mark !== undefined && remembered.stamp === mark));
    return isSame && Array.isArray(remembered.fields) && Array.isArray(remembered.key) ? remembered : undefined;
  } catch {
    return undefined;
  }
}

/** Writes down what `recall` tells, for the file that is about to take its place and have this stamp. */
export async function remember(
  target: TargetPlace,
  file: string,
  stamp: string,
  { fields, key, reading }: { fields: readonly Field[]; key: readonly string[]; reading: FileReading },
): Promise<void> {
  const remembered: RememberedFile = { fields, key, reading: writeReading(reading), stamp };
  await target.keep(rememberedName(file), JSON.stringify(remembered));
}
