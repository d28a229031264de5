import type { FieldError } from '../../lib/errors.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { CANONICAL_TYPES, type CanonicalType } from '../canonical.ts';
import { AddressWithSecretQuery, Secret } from '../config-values.ts';
import type { Manifest } from '../contract.ts';
import { PLAIN_NAME } from '../naming.ts';
import { PlaceConfig, placeFaults } from './place/config.ts';
import { encodingNamed } from './text/encoding.ts';

const ColumnType = Type.Object(
  {
    field: Type.String({ title: 'Field', description: 'The name of the column or member.', minLength: 1, maxLength: 1000 }),
    type: Type.Unsafe<CanonicalType>(Type.String({ title: 'Type', description: 'What its values are.', enum: CANONICAL_TYPES })),
  },
  { additionalProperties: false },
);

function choice<const Words extends readonly [string, ...string[]]>(words: Words, options: { title: string; description: string }) {
  return Type.Unsafe<Words[number]>(Type.String({ ...options, enum: words, default: words[0] }));
}

export const FilesConfig = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        title: 'Path',
        description:
          'A file (`orders.csv`), a pattern (`exports/**/*.csv`: all of it is one stream) or a folder (`exports/`: every file in it and every folder in it is a stream). A relative path begins at the first folder of SYNCLINE_FILE_ROOTS; in a bucket at its top, and over SFTP in the home of the user.',
        minLength: 1,
        maxLength: 4096,
      }),
    ),
    url: Type.Optional(
      AddressWithSecretQuery({
        title: 'URL',
        description:
          'Instead of a path: an http or https address of a file. `{2024..2026}` and `{north,south}` stand for several, which are one stream. Only for reading. What stands behind the question mark may be a signature: it is kept encrypted and shown as `********`.',
        minLength: 1,
        maxLength: 4096,
      }),
    ),
    authorization: Type.Optional(
      Secret({ title: 'Authorization', description: 'The value of the Authorization header for the URL, such as `Bearer …`.' }),
    ),
    name: Type.Optional(
      Type.String({
        title: 'Stream name',
        description: 'What the stream of the file, pattern or URL is called. Without it, it is named after the file.',
        minLength: 1,
        maxLength: 200,
      }),
    ),
    place: PlaceConfig,
    format: choice(['auto', 'csv', 'tsv', 'jsonl', 'parquet'], {
      title: 'Format',
      description: 'What the files are. `auto` tells it from name and content; when writing it means CSV.',
    }),
    compression: choice(['auto', 'none', 'gzip', 'zstd'], {
      title: 'Compression',
      description:
        'What the files are packed with. `auto` looks at the first bytes; when writing it goes by the name, else nothing is packed.',
    }),
    encoding: Type.String({
      title: 'Encoding',
      description:
        'Of text: `auto` (byte order mark, else UTF-8 or UTF-16 or Windows-1252 by what the bytes look like), `utf-8`, `utf-16le`, `utf-16be`, `windows-1252`, `latin-1`, or any other that WHATWG names, such as `shift_jis`.',
      default: 'auto',
      maxLength: 40,
    }),
    delimiter: Type.String({
      title: 'Delimiter',
      description: 'Of CSV: `auto` (comma, semicolon, tab or bar), `tab`, or one character.',
      default: 'auto',
      minLength: 1,
      maxLength: 4,
    }),
    quote: Type.String({
      title: 'Quote',
      description: 'Of CSV: `auto`, one character, or `none` when nothing is ever quoted.',
      default: 'auto',
      minLength: 1,
      maxLength: 4,
    }),
    escape: choice(['auto', 'double', 'backslash'], {
      title: 'Escape',
      description: 'How a quote inside quotes is written in CSV: twice (`""`) or behind a backslash (`\\"`).',
    }),
    header: choice(['auto', 'yes', 'no'], {
      title: 'Header',
      description: 'Whether the first row of a CSV file holds the names. Without names, columns are called `column_1`, `column_2`, …',
    }),
    nulls: Type.Array(Type.String({ maxLength: 100 }), {
      title: 'Spellings of null',
      description: 'Texts in CSV that mean "no value" when they are not quoted. An empty cell does; `""` is an empty text.',
      default: [''],
      maxItems: 20,
    }),
    types: Type.Array(ColumnType, {
      title: 'Types',
      description:
        'Types of fields that the files do not tell (Parquet does). Others are told from the first rows. Fields of JSON Lines that appear late are made known here, too.',
      default: [],
      maxItems: 10_000,
    }),
    unknown_fields: choice(['reject', 'ignore'], {
      title: 'Unknown fields',
      description:
        'What becomes of a row with a member or column that was not in the rows that the fields were told from: it is rejected and reported, or the value is left out.',
    }),
    file_fields: Type.Boolean({
      title: 'Add file and line',
      description: 'Adds the fields `_file` and `_line` to every row: where it was found.',
      default: false,
    }),
  },
  { additionalProperties: false },
);

export type FilesConfig = Static<typeof FilesConfig>;

/** What a schema cannot tell. */
function faultsOf({ place, path, url, authorization, encoding, delimiter, quote }: FilesConfig): FieldError[] {
  const faults: FieldError[] = [];
  if (path === undefined && url === undefined) faults.push({ field: 'path', reason: 'is mandatory, or url instead' });
  if (path !== undefined && url !== undefined) faults.push({ field: 'url', reason: 'cannot be used together with path' });
  if (url !== undefined && place.type !== 'local') faults.push({ field: 'url', reason: 'is only used with the place local' });
  faults.push(...placeFaults(place, path ?? ''));
  if (path?.includes('\0')) faults.push({ field: 'path', reason: 'must not contain NUL characters' });
  if (url !== undefined && !/^https?:\/\//i.test(url)) faults.push({ field: 'url', reason: 'must begin with http:// or https://' });
  else if (url !== undefined && !URL.canParse(url.replace(/\{[^{}]*\}/g, '0'))) faults.push({ field: 'url', reason: 'is not a URL' });
  else if (url !== undefined && /^https?:\/\/[^/]*@/i.test(url))
    faults.push({ field: 'url', reason: 'must not contain a user or password, as it is shown: use authorization' });
  if (authorization !== undefined && !/^[\x20-\x7e]*$/.test(authorization))
    faults.push({ field: 'authorization', reason: 'must be printable ASCII characters, without line breaks' });
  if (authorization !== undefined && url === undefined) faults.push({ field: 'authorization', reason: 'is only used with url' });
  if (encodingNamed(encoding) === undefined) faults.push({ field: 'encoding', reason: 'is not a known encoding' });
  const special = (text: string): boolean => text === '\t' || /^[ -~]$/.test(text);
  if (delimiter !== 'auto' && delimiter !== 'tab' && !special(delimiter))
    faults.push({ field: 'delimiter', reason: 'must be auto, tab or one ASCII character' });
  if (quote !== 'auto' && quote !== 'none' && !special(quote))
    faults.push({ field: 'quote', reason: 'must be auto, none or one ASCII character' });
  if (delimiter === quote && delimiter !== 'auto') faults.push({ field: 'quote', reason: 'must not be the same as the delimiter' });
  if (delimiter === '\\' || quote === '\\') faults.push({ field: 'delimiter', reason: 'must not be a backslash' });
  return faults;
}

// Room is left for the endings.
const LONGEST_NAME = 230;

export const manifest: Manifest = {
  type: 'files',
  category: 'file',
  keywords: [
    'TSV',
    'NDJSON',
    'gzip',
    'zstd',
    'SSH',
    'FTP',
    'Amazon',
    'AWS',
    'MinIO',
    'Ceph',
    'R2',
    'object storage',
    'data lake',
    'export',
  ],
  title: 'Files',
  description:
    'CSV, JSON Lines and Parquet files, plain or packed: in folders of this machine, in S3 buckets, on SFTP servers, or behind http and https addresses.',
  config: FilesConfig,
  abilities: {
    read: true,
    write: ['append', 'mirror'],
    incremental: true,
    resumable: true,
    transactional: false,
    checkpoints: true,
    createsStreams: true,
    deletes: true,
    filters: false,
    keylessMirror: true,
    notes:
      'Reading goes on where it stopped, file by file: appended rows and new files are read, a file that was replaced is read anew. ' +
      'Rows that are written are collected beside the target, each batch with its position, and can be seen only when the run is finished: then a file appears ' +
      'or is replaced in one step, so that nobody ever sees half of it. A mirror removes what the source does not have; rows cannot be removed by key while appending.',
  },
  naming: {
    streams: [
      { pattern: String.raw`^\.`, example: '.hidden', why: 'a file that begins with a dot is hidden' },
      { pattern: '/', example: 'a/b', why: 'a slash would be a folder' },
      { maxBytes: LONGEST_NAME, why: `a file can have a name of ${LONGEST_NAME} bytes at most` },
      ...PLAIN_NAME,
    ],
    replaces: [
      { pattern: '/', by: '_' },
      { pattern: String.raw`^\.+`, by: '' },
    ],
  },
  validate: faultsOf,
};
