import type { FieldError } from '../../../lib/errors.ts';
import { type Static, Type } from '../../../lib/schema.ts';
import { hostFaults, Secret } from '../../config-values.ts';

const closed = { additionalProperties: false };

const Local = Type.Object({ type: Type.Literal('local') }, { ...closed, title: 'Folders of this machine' });

const S3 = Type.Object(
  {
    type: Type.Literal('s3'),
    bucket: Type.String({ title: 'Bucket', description: 'The name of the bucket.', minLength: 1, maxLength: 255 }),
    region: Type.String({
      title: 'Region',
      description: 'Of the bucket, such as `eu-central-1`. Systems other than Amazon mostly take `us-east-1`.',
      default: 'us-east-1',
      minLength: 1,
      maxLength: 100,
    }),
    endpoint: Type.Optional(
      Type.String({
        title: 'Endpoint',
        description: 'The address of a compatible system, such as `https://minio.example.com:9000`. Without it, Amazon.',
        minLength: 1,
        maxLength: 2000,
      }),
    ),
    addressing: Type.Unsafe<'auto' | 'path' | 'virtual'>(
      Type.String({
        title: 'Addressing',
        description:
          'Whether the bucket stands in the path or before the host name. `auto`: in the path with an endpoint, before the host at Amazon.',
        enum: ['auto', 'path', 'virtual'],
        default: 'auto',
      }),
    ),
    access_key_id: Type.Optional(
      Type.String({ title: 'Access key id', description: 'Without it, requests are not signed: for public buckets.', maxLength: 1000 }),
    ),
    secret_access_key: Type.Optional(Secret({ title: 'Secret access key', description: 'Belongs to the access key id.', minLength: 1 })),
    session_token: Type.Optional(Secret({ title: 'Session token', description: 'Of keys that hold for a while.', minLength: 1 })),
    ca: Type.Optional(
      Type.String({
        title: 'Authority certificate',
        description: 'In PEM, for an endpoint with a certificate of your own; trusted besides the public ones.',
        maxLength: 65_536,
      }),
    ),
  },
  { ...closed, title: 'S3 bucket' },
);

const Sftp = Type.Object(
  {
    type: Type.Literal('sftp'),
    host: Type.String({ title: 'Host', description: 'A name or an address.', minLength: 1, maxLength: 255 }),
    port: Type.Integer({ title: 'Port', description: 'Of the SSH server.', default: 22, minimum: 1, maximum: 65_535 }),
    user: Type.String({ title: 'User', description: 'Who logs in.', minLength: 1, maxLength: 255 }),
    password: Type.Optional(Secret({ title: 'Password', description: 'Of the user. A private key can be used instead.', minLength: 1 })),
    private_key: Type.Optional(
      Secret({ title: 'Private key', description: 'Ed25519, ECDSA or RSA, in PEM or in the format of OpenSSH.', minLength: 1 }),
    ),
    passphrase: Type.Optional(Secret({ title: 'Passphrase', description: 'Of a private key that is encrypted.', minLength: 1 })),
    host_key: Type.Optional(
      Type.String({
        title: 'Host key',
        description:
          'The fingerprint that the server has to prove, `SHA256:…`, or its public key, as `ssh-keyscan` tells it. Checking the source shows it. Without it, any server is believed.',
        minLength: 1,
        maxLength: 10_000,
      }),
    ),
  },
  { ...closed, title: 'SFTP server' },
);

export const PlaceConfig = Type.OneOf([Local, S3, Sftp], {
  title: 'Place',
  description: 'Where the files of `path` lie.',
  default: { type: 'local' },
});

export type PlaceConfig = Static<typeof PlaceConfig>;
export type S3Config = Extract<PlaceConfig, { type: 's3' }>;
export type SftpConfig = Extract<PlaceConfig, { type: 'sftp' }>;

/** What a schema cannot tell of a place, and of a path in it. */
export function placeFaults(place: PlaceConfig, path: string): FieldError[] {
  if (place.type === 'local') return [];
  const faults: FieldError[] = [];
  if (path.split('/').some((name) => name === '..')) faults.push({ field: 'path', reason: 'must not contain ".."' });
  const own = place.type === 's3' ? s3Faults(place) : sftpFaults(place);
  return [...faults, ...own.map(({ field, reason }) => ({ field: `place.${field}`, reason }))];
}

function s3Faults({
  bucket,
  endpoint,
  region,
  access_key_id: id,
  secret_access_key: secret,
  session_token: token,
}: S3Config): FieldError[] {
  const faults: FieldError[] = [];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(bucket))
    faults.push({ field: 'bucket', reason: 'must be letters, digits, dots, dashes and underscores' });
  if (!/^[A-Za-z0-9-]+$/.test(region)) faults.push({ field: 'region', reason: 'must be letters, digits and dashes, such as eu-central-1' });
  if (endpoint !== undefined) {
    const url = URL.parse(endpoint);
    if (!url || !/^https?:$/.test(url.protocol))
      faults.push({ field: 'endpoint', reason: 'must be an address that begins with https:// or http://' });
    else if (url.username !== '' || url.password !== '')
      faults.push({
        field: 'endpoint',
        reason: 'must not contain a user or password, as it is shown: use access_key_id and secret_access_key',
      });
    else if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
      faults.push({ field: 'endpoint', reason: 'must be scheme, host and port alone; the bucket has a field of its own' });
  }
  if (id !== undefined && secret === undefined) faults.push({ field: 'secret_access_key', reason: 'is mandatory with access_key_id' });
  if (id === undefined && secret !== undefined) faults.push({ field: 'access_key_id', reason: 'is mandatory with secret_access_key' });
  if (token !== undefined && id === undefined) faults.push({ field: 'session_token', reason: 'is only used with access_key_id' });
  if (id !== undefined && !/^[\x21-\x7e]+$/.test(id))
    faults.push({ field: 'access_key_id', reason: 'must be printable ASCII characters without spaces' });
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    faults.push({ field: 'session_token', reason: 'must be printable ASCII characters without spaces' });
  return faults;
}

function sftpFaults({ host, password, private_key: key, passphrase, host_key: hostKey }: SftpConfig): FieldError[] {
  const faults: FieldError[] = [...hostFaults(host)];
  if (password === undefined && key === undefined) faults.push({ field: 'password', reason: 'is mandatory, or private_key instead' });
  if (passphrase !== undefined && key === undefined) faults.push({ field: 'passphrase', reason: 'is only used with private_key' });
  if (hostKey !== undefined && !/^(SHA256:[A-Za-z0-9+/]{43}=?|(\S+ )?(ssh|ecdsa)-\S+ [A-Za-z0-9+/]+=*( .*)?)$/.test(hostKey.trim()))
    faults.push({ field: 'host_key', reason: 'must be a fingerprint (SHA256:…) or a public key (ssh-ed25519 AAAA…)' });
  return faults;
}
