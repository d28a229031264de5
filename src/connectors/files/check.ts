import type { CheckReport } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { DataFile } from './source/data-file.ts';
import { lookAt, type FileReading } from './source/look.ts';
import type { FilesConfig } from './manifest.ts';
import { openParquetFile } from './parquet/file.ts';
import { demandThere, meaningOf, streamsOf, type Whereabouts } from './source/streams.ts';

// As much as reading it looks at, so that both understand it alike.
const LOOK_BYTES = 256 * 1024;

/** Opens what the configuration names and tells what it is. */
export async function checkFiles(config: FilesConfig, where: Whereabouts, signal: AbortSignal): Promise<CheckReport> {
  const { message, warnings } = await checkPath(config, where, signal);
  return { message, warnings: [...warnings, ...((await where.place.warnings?.()) ?? [])] };
}

async function checkPath(config: FilesConfig, where: Whereabouts, signal: AbortSignal): Promise<CheckReport> {
  const place = await meaningOf(config, where, signal);
  const fault = place.kind === 'url' ? undefined : where.place.fault?.(config.path ?? '');
  if (fault) throw fault;
  demandThere(place, config, where);
  const streams = await streamsOf(config, where, signal);
  const [first] = streams;
  if (!first) return { message: `The folder ${config.path}, without files of a known format so far.`, warnings: [] };
  const files = await first.list(signal);
  const [file] = files;
  if (!file)
    throw new OutsideError('config', 'FILE_MISSING', `No file matches "${config.path}".`, {
      field: 'path',
      hint: 'Check the pattern. `*` stays within a folder, `**` goes into all below.',
    });
  const { what, isBinary } = await described(file, config, signal);
  const warnings = [
    ...(file.size === 0 ? [`"${file.name}" is empty.`] : []),
    ...(isBinary ? [`"${file.name}" holds NUL characters, so it may be no text at all. Check the format and the encoding.`] : []),
  ];
  if (place.kind === 'folder')
    return { message: `The folder ${config.path} with ${count(streams.length, 'stream')}; ${first.name} is ${what}.`, warnings };
  return {
    message: files.length === 1 ? `${file.name}: ${what}.` : `${count(files.length, 'file')}; the first, ${file.name}, is ${what}.`,
    warnings,
  };
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

async function described(file: DataFile, config: FilesConfig, signal: AbortSignal): Promise<{ what: string; isBinary: boolean }> {
  try {
    const { reading, head } = await lookAt(file, config, LOOK_BYTES, signal);
    if (reading.format !== 'parquet') return { what: inWords(reading), isBinary: head.includes(0) };
    if (head.length === 0) return { what: 'empty', isBinary: false };
    const parquet = await openParquetFile(file, signal);
    await parquet.close();
    return { what: `Parquet with ${count(parquet.rows, 'row')}`, isBinary: false };
  } finally {
    await file.close();
  }
}

const SIGNS: Readonly<Record<string, string>> = { '\t': 'tabs', ',': 'commas', ';': 'semicolons', '|': 'bars' };

function inWords({ format, compression, encoding, dialect }: FileReading): string {
  const packed = compression === 'none' ? '' : `, packed with ${compression}`;
  if (format === 'jsonl' || !dialect) return `JSON Lines in ${encoding}${packed}`;
  const sign = String.fromCharCode(dialect.delimiter);
  return `CSV in ${encoding} with ${SIGNS[sign] ?? `"${sign}"`} between cells and ${dialect.header ? 'names in the first row' : 'no names'}${packed}`;
}
