import { type Static, Type } from '../../lib/schema.ts';
import type { FieldError } from '../../lib/errors.ts';
import { hostFaults, Secret } from '../config-values.ts';
import type { Manifest } from '../contract.ts';
import { type NameRule, PLAIN_NAME } from '../naming.ts';
import { LONGEST_NAME } from './catalogue/names.ts';

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

const PEM = 'Text in PEM format, beginning with -----BEGIN';

const PostgresConfig = Type.Object(
  {
    host: Type.String({
      title: 'Host',
      description: 'The name or address of the server, such as db.example.com.',
      minLength: 1,
      maxLength: 255,
    }),
    port: Type.Optional(
      Type.Integer({ title: 'Port', description: 'Where the server listens.', minimum: 1, maximum: 65_535, default: 5432 }),
    ),
    database: Type.String({ title: 'Database', description: 'The database to connect to.', minLength: 1, maxLength: 63 }),
    user: Type.String({
      title: 'User',
      description: 'The role to log in as. Reading needs SELECT; writing also INSERT, UPDATE, DELETE, and CREATE in the schema.',
      minLength: 1,
      maxLength: 63,
    }),
    password: Type.Optional(Secret({ title: 'Password', description: 'The password of the user; empty when the server asks for none.' })),
    ssl: Type.Optional(
      Type.Unsafe<SslMode>({
        type: 'string',
        enum: SSL_MODES,
        title: 'Encryption (TLS)',
        description:
          'disable: never. prefer: when the server offers it. require: always, with any certificate. verify-ca: and its certificate is of a trusted authority. verify-full: and it is for this host.',
        default: 'prefer',
      }),
    ),
    ca: Type.Optional(
      Type.String({
        title: 'Authority certificate',
        description: `Whom to trust for verify-ca and verify-full; without it, the well-known authorities. ${PEM}.`,
        maxLength: 65_536,
      }),
    ),
    cert: Type.Optional(
      Type.String({ title: 'Client certificate', description: `For servers that ask for one. ${PEM}.`, maxLength: 65_536 }),
    ),
    key: Type.Optional(Secret({ title: 'Client key', description: `The private key of the client certificate. ${PEM}.` })),
    schemas: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        title: 'Schemas',
        description: 'Which schemas to show; all but those of PostgreSQL itself when empty. The first is where tables without a schema go.',
        maxItems: 100,
        uniqueItems: true,
        default: [],
      }),
    ),
    publication: Type.Optional(
      Type.String({
        title: 'Publication',
        description:
          'For following changes: a publication that is there already, with all tables concerned. Empty: Syncline makes one for each synchronization, for which the user has to own the tables.',
        maxLength: 63,
      }),
    ),
    connect_timeout: Type.Optional(
      Type.Integer({
        title: 'Connection timeout',
        description: 'Seconds after which a connection that does not come about is given up.',
        minimum: 1,
        maximum: 60,
        default: 8,
      }),
    ),
    statement_timeout: Type.Optional(
      Type.Integer({
        title: 'Statement timeout',
        description: 'Seconds after which the server ends a single statement; 0 means never. A table without a key is read in one.',
        minimum: 0,
        maximum: 86_400,
        default: 3600,
      }),
    ),
    lock_timeout: Type.Optional(
      Type.Integer({
        title: 'Lock timeout',
        description: 'Seconds to wait for a lock that another session has on a table or row; 0: no limit.',
        minimum: 0,
        maximum: 86_400,
        default: 60,
      }),
    ),
  },
  { additionalProperties: false },
);

/** With the schema's defaults filled in. */
export type PostgresConfig = Static<typeof PostgresConfig>;

const NAME: readonly NameRule[] = [
  { maxBytes: LONGEST_NAME, why: `PostgreSQL allows names of ${LONGEST_NAME} bytes, and {name} has {size}` },
  ...PLAIN_NAME,
];

/** In which structures are told. */
export const LANGUAGE = 'postgres';

export const manifest: Manifest = {
  type: 'postgres',
  category: 'database',
  keywords: ['Postgres', 'SQL', 'Aurora', 'RDS', 'Supabase', 'Neon', 'Timescale', 'logical replication'],
  title: 'PostgreSQL',
  description: 'Tables and views of a PostgreSQL database, version 14 or newer, or of a service that speaks its protocol in full.',
  config: PostgresConfig,
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
    ranges: true,
    parts: true,
    widens: true,
    keepsTables: true,
    log: true,
    applies: true,
    undo: true,
    structure: LANGUAGE,
    differences: true,
    digests: true,
    notes:
      'A table without a primary key or unique index, and a view, is read in one statement. Such a read goes on where it was cut off only as long as nobody changes the table.',
  },
  naming: {
    schemas: {
      member: 'schemas',
      default: 'public',
      rules: [{ pattern: '^(pg_|information_schema$)', example: 'pg_x', why: 'the schema {name} belongs to PostgreSQL' }, ...NAME],
    },
    streams: NAME,
    fields: [
      {
        pattern: '^(tableoid|xmin|xmax|cmin|cmax|ctid)$',
        example: 'xmin',
        why: 'every table of PostgreSQL has a hidden column of that name',
      },
      ...NAME,
    ],
  },
  validate: faultsOf,
};

function faultsOf({ host, ssl, ca, cert, key }: PostgresConfig): FieldError[] {
  const faults = hostFaults(host);
  for (const [field, text] of Object.entries({ ca, cert, key })) {
    if (text && !text.includes('-----BEGIN')) faults.push({ field, reason: 'is not in PEM format: it has no line -----BEGIN …' });
  }
  if (cert && !key) faults.push({ field: 'key', reason: 'is required with a client certificate' });
  if (key && !cert) faults.push({ field: 'cert', reason: 'is required with a client key' });
  if (ssl === 'disable' && (ca || cert)) faults.push({ field: 'ssl', reason: 'cannot be "disable" when certificates are given' });
  return faults;
}
