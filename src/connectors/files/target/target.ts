import { basename, join } from 'node:path';
import type { WriteRequest } from '../../contract.ts';
import { ruleFault } from '../../naming.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Compression, Format } from '../source/data-file.ts';
import { formatOf, partsOf } from '../source/data-file.ts';
import type { CsvDialect } from '../csv/dialect.ts';
import { encodingNamed, WRITABLE_ENCODINGS } from '../text/encoding.ts';
import type { FileReading } from '../source/look.ts';
import { type FilesConfig, manifest } from '../manifest.ts';
import type { TargetPlace } from '../place/place.ts';
import { meaningOf, streamNamed, streamsOf, type Whereabouts } from '../source/streams.ts';

/** The file that a stream is written to. */
export interface TargetFile {
  /** Its path, as its place calls it. */
  readonly path: string;
  /** Where it is written, held until the writing ends. */
  readonly at: TargetPlace;
  readonly name: string;
  /** How a new file is written. */
  readonly reading: FileReading;
}

export async function targetOf(
  config: FilesConfig,
  where: Whereabouts,
  { stream, create }: WriteRequest,
  signal: AbortSignal,
): Promise<TargetFile> {
  const place = await meaningOf(config, where, signal);
  if (place.kind === 'url' || place.kind === 'pattern')
    throw new OutsideError('config', 'NOT_WRITABLE', `A ${place.kind === 'url' ? 'URL' : 'pattern'} can be read, but not written to.`, {
      field: place.kind === 'url' ? 'url' : 'path',
      hint: 'Give the path of a folder or of one file.',
    });
  const streams = await streamsOf(config, where, signal, [stream]);
  const found = streamNamed(streams, stream);
  if (found && found.path === undefined)
    throw new OutsideError('config', 'NOT_WRITABLE', `The stream "${stream}" is a folder of files, which can only be read.`, {
      hint: 'Choose another name for the target stream.',
    });
  const isOther = place.kind === 'file' && !found;
  if (isOther || (!create && (!found || 'isMissing' in place)))
    throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${stream}" here.`, {
      hint: isOther
        ? `The source names one file; its stream is "${streams[0]?.name}".`
        : 'Let the synchronization create it, or choose one that is there.',
    });
  const path = found?.path ?? join(place.path, fileNameOf(config, stream));
  const reading = readingOf(config, path);
  const at = await where.place.target(path, create, signal);
  return { path: at.path, at, name: basename(at.path), reading };
}

const ENDINGS: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' };

/** The file of a new stream: its name with the endings that tell what it is. */
function fileNameOf({ format, compression }: FilesConfig, stream: string): string {
  if (ruleFault(stream, manifest.naming.streams ?? []) !== undefined)
    throw new OutsideError('config', 'NAME_INVALID', `"${stream.slice(0, 100)}" cannot be the name of a file.`, {
      field: 'stream',
      hint: 'Use up to 230 bytes without slashes, not beginning with a dot.',
    });
  const packed = compression === 'auto' ? '' : ENDINGS[compression];
  if (formatOf(stream) !== undefined) return stream.endsWith(packed) || packed === '' ? stream : stream + packed;
  return `${stream}.${format === 'auto' ? 'csv' : format}${packed}`;
}

function readingOf(config: FilesConfig, path: string): FileReading {
  const { extension, packed } = partsOf(basename(path));
  const byName = packed === '' ? 'none' : packed === 'gz' ? 'gzip' : 'zstd';
  const compression: Compression = config.compression === 'auto' ? byName : config.compression;
  const format: Format = config.format === 'auto' ? (formatOf(basename(path)) ?? 'csv') : config.format === 'tsv' ? 'csv' : config.format;
  const isTabbed = config.format === 'tsv' || extension === 'tsv' || extension === 'tab';
  const named = encodingNamed(config.encoding) ?? 'utf-8';
  const encoding = named === 'auto' ? 'utf-8' : named;
  if (format !== 'parquet' && !WRITABLE_ENCODINGS.includes(encoding))
    throw new OutsideError('config', 'ENCODING_UNSUPPORTED', `Files in ${encoding} can be read, but not written.`, {
      field: 'encoding',
      hint: `Choose one of ${WRITABLE_ENCODINGS.join(', ')}.`,
    });
  const mark = encoding.startsWith('utf-16') ? 2 : 0;
  if (format === 'parquet') return { format, compression: 'none', encoding: 'utf-8', mark: 0 };
  if (format === 'jsonl') return { format, compression, encoding, mark };
  const dialect: CsvDialect = {
    delimiter: config.delimiter === 'auto' ? (isTabbed ? 9 : 44) : config.delimiter === 'tab' ? 9 : config.delimiter.charCodeAt(0),
    quote: config.quote === 'auto' ? 34 : config.quote === 'none' ? -1 : config.quote.charCodeAt(0),
    escape: config.escape === 'auto' ? 'double' : config.escape,
    lonelyReturns: false,
    header: config.header !== 'no',
    nulls: config.nulls,
  };
  return { format, compression, encoding, mark, dialect };
}
