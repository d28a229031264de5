import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Field } from '../contract.ts';
import { type Reading, writeReading } from './look.ts';
import { OWN_FOLDER, writeSafely } from './safe-write.ts';

/** What CSV and JSON Lines cannot say of themselves, kept beside a file that we wrote. */
export interface Remembered {
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  /** How the file was written, in the words of `writeReading`. */
  readonly reading: string;
  /** The file's stamp: when somebody else has changed it since, this is no longer true. */
  readonly stamp: string;
}

function rememberedPath(file: string): string {
  const hash = createHash('sha256').update(basename(file)).digest('hex').slice(0, 24);
  return join(dirname(file), OWN_FOLDER, `${hash}.types.json`);
}

/** Types and key of a file as we wrote it; undefined when we did not, or when it has been changed since. */
export async function recall(file: string, stamp: string | undefined): Promise<Remembered | undefined> {
  try {
    const remembered = JSON.parse(await readFile(rememberedPath(file), 'utf8')) as Remembered;
    return remembered.stamp === stamp && Array.isArray(remembered.fields) && Array.isArray(remembered.key) ? remembered : undefined;
  } catch {
    return undefined;
  }
}

/** Writes down what `recall` tells, for the file that is about to take its place. */
export async function remember(
  target: string,
  final: string,
  { fields, key, reading }: { fields: readonly Field[]; key: readonly string[]; reading: Reading },
): Promise<void> {
  const { size, mtimeNs } = await stat(final, { bigint: true });
  const remembered: Remembered = { fields, key, reading: writeReading(reading), stamp: `${size}-${mtimeNs}` };
  await writeSafely(rememberedPath(target), JSON.stringify(remembered), basename(target));
}
