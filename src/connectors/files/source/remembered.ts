import { createHash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Field } from '../../contract.ts';
import type { Folder, Roots } from '../../../outside/roots.ts';
import { type FileReading, writeReading } from './look.ts';
import { KEPT_FOLDER } from '../../../outside/own-places.ts';
import { readAndClose, writeSafely } from '../target/safe-write.ts';

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
export async function recall(roots: Roots, file: string, stamp: string | undefined): Promise<RememberedFile | undefined> {
  try {
    const handle = await keptFile(roots, file);
    const remembered = JSON.parse(await readAndClose(handle)) as RememberedFile;
    return remembered.stamp === stamp && Array.isArray(remembered.fields) && Array.isArray(remembered.key) ? remembered : undefined;
  } catch {
    return undefined;
  }
}

async function keptFile(roots: Roots, file: string): Promise<FileHandle> {
  const folder = await roots.folder(dirname(file));
  try {
    const kept = await folder.folder(KEPT_FOLDER);
    try {
      return await kept.open(rememberedName(basename(file)));
    } finally {
      kept.close();
    }
  } finally {
    folder.close();
  }
}

/** Writes down what `recall` tells, for the file that is about to take its place. `own` is the folder for that beside it. */
export async function remember(
  own: Folder,
  file: string,
  final: string,
  { fields, key, reading }: { fields: readonly Field[]; key: readonly string[]; reading: FileReading },
): Promise<void> {
  const { size, mtimeNs } = await stat(final, { bigint: true });
  const remembered: RememberedFile = { fields, key, reading: writeReading(reading), stamp: `${size}-${mtimeNs}` };
  await writeSafely(own.at(rememberedName(file)), JSON.stringify(remembered), file);
}
