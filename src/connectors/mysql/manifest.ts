import type { FieldError } from '../../lib/errors.ts';
import { type Static, Type } from '../../lib/schema.ts';
import { hostFaults, Secret } from '../config-values.ts';
import type { Manifest } from '../contract.ts';
import { type NameRule, PLAIN_NAME } from '../naming.ts';

const MysqlConfig = Type.Object(
  {
    host: Type.String({
      title: 'Host',
      description: 'The name or address of the server.',
      minLength: 1,
      maxLength: 255,
    }),
    port: Type.Optional(Type.Integer({ title: 'Port', description: 'Usually 3306.', minimum: 1, maximum: 65_535, default: 3306 })),
    database: Type.String({
      title: 'Database',
      description: 'The database whose tables and views are the streams.',
      minLength: 1,
      maxLength: 64,
    }),
    user: Type.String({
      title: 'User',
      description: 'Who signs in. To read, SELECT on the database is enough.',
      minLength: 1,
      maxLength: 128,
    }),
    password: Type.Optional(Secret({ title: 'Password', description: 'Leave it out when the user has none.' })),
    tls: Type.Optional(
      Type.Unsafe<'disable' | 'prefer' | 'require' | 'verify'>({
        type: 'string',
        title: 'Encryption',
        description:
          'disable: never. prefer: when the server offers it. require: always, with any certificate. verify: always, and the certificate has to be valid for this host.',
        enum: ['disable', 'prefer', 'require', 'verify'],
        default: 'prefer',
      }),
    ),
    ca: Type.Optional(
      Type.String({
        title: 'Certificate authority',
        description: 'The certificate (PEM) that signed the server’s, for "verify". Without it, the well-known authorities are trusted.',
        maxLength: 1_048_576,
      }),
    ),
    zero_dates: Type.Optional(
      Type.Unsafe<'null' | 'reject'>({
        type: 'string',
        title: 'Zero dates',
        description: 'What becomes of 0000-00-00 and dates with a month or day of zero: null, or the row is rejected.',
        enum: ['null', 'reject'],
        default: 'null',
      }),
    ),
    tinyint1: Type.Optional(
      Type.Unsafe<'boolean' | 'integer'>({
        type: 'string',
        title: 'tinyint(1)',
        description: 'Whether columns of the type tinyint(1) are yes/no values, as most applications mean them, or numbers.',
        enum: ['boolean', 'integer'],
        default: 'boolean',
      }),
    ),
    times: Type.Optional(
      Type.Unsafe<'time' | 'text'>({
        type: 'string',
        title: 'Times',
        description:
          'Columns of the type time hold times of day, or durations below zero and beyond 24 hours. As "time", such a row is rejected; as "text", all are read.',
        enum: ['time', 'text'],
        default: 'time',
      }),
    ),
    overlap: Type.Optional(
      Type.Integer({
        title: 'Overlap in seconds',
        description:
          'An incremental read by a time starts this long before where the last one ended, so that rows which others committed late are not missed.',
        minimum: 0,
        maximum: 604_800,
        default: 60,
      }),
    ),
    overlap_values: Type.Optional(
      Type.Integer({
        title: 'Overlap in numbers',
        description: 'The same for an incremental read by a number, such as an automatic id: it starts this many numbers before.',
        minimum: 0,
        maximum: 1_000_000_000,
        default: 1000,
      }),
    ),
  },
  { additionalProperties: false },
);

export type MysqlConfig = Static<typeof MysqlConfig>;

const LONGEST_NAME = 64;

const NAME: readonly NameRule[] = [
  { maxCharacters: LONGEST_NAME, why: `MySQL allows names of ${LONGEST_NAME} characters, and this one has {size}` },
  {
    pattern: String.raw`[\u{10000}-\u{10ffff}]|\s$`,
    example: 'ends with ',
    why: 'in MySQL a name does not end with a space, and has no signs beyond the Basic Multilingual Plane',
  },
  ...PLAIN_NAME,
];

/** In which structures are told. */
export const LANGUAGE = 'mysql';

export const manifest: Manifest = {
  type: 'mysql',
  category: 'database',
  keywords: ['SQL', 'Percona', 'Aurora', 'RDS', 'binlog'],
  title: 'MySQL and MariaDB',
  description: 'Tables and views of a database on MySQL 8 or MariaDB 10.6 and newer, to read and to write.',
  config: MysqlConfig,
  abilities: {
    read: true,
    write: ['append', 'upsert', 'mirror'],
    incremental: true,
    resumable: true,
    transactional: true,
    checkpoints: true,
    createsStreams: true,
    deletes: true,
    filters: true,
    keylessMirror: true,
    keepsTables: true,
    log: true,
    applies: true,
    undo: true,
    differences: true,
    digests: true,
    structure: LANGUAGE,
    notes:
      'Incremental reads overlap a little, so rows may come twice, which is harmless where they are written by their key. Reads for append never do, and miss rows that are committed late. A stream without a key is taken up again by counting rows, which is right as long as the table did not change.',
  },
  naming: {
    foldsCase: true,
    streams: NAME,
    fields: NAME,
    // What is written there may end the server.
    closed: { member: 'database', values: ['mysql', 'sys', 'information_schema', 'performance_schema'] },
  },
  validate: ({ host, ca }: MysqlConfig): FieldError[] => {
    const faults = hostFaults(host);
    if (ca !== undefined && !/-----BEGIN CERTIFICATE-----/.test(ca))
      faults.push({ field: 'ca', reason: 'must be a certificate in PEM: it begins with -----BEGIN CERTIFICATE-----' });
    return faults;
  },
};
