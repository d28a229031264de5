import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { Secret } from '../../config-values.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 1000): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

function oneOf<const Word extends string>(words: readonly Word[], options: { title: string; description: string; default: Word }) {
  return Type.Unsafe<Word>(Type.String({ enum: words, ...options }));
}

export const AwsAuth = Type.Object(
  {
    type: Type.Literal('aws_sigv4'),
    access_key_id: Text('Access key id', 'Such as `AKIA…`.', 200),
    secret_access_key: Secret({ title: 'Secret access key', description: 'It signs and is never sent.', minLength: 1 }),
    session_token: Type.Optional(Secret({ title: 'Session token', description: 'Of temporary credentials.', minLength: 1 })),
    region: Text('Region', 'Such as `eu-central-1`.', 100),
    service: Text('Service', 'As AWS calls it in signatures, such as `execute-api` or `es`.', 100),
  },
  { ...closed, title: 'AWS signature (version 4)' },
);
export type AwsAuth = Static<typeof AwsAuth>;

/** What may stand in braces in what is signed, and in the headers that tell of it. */
export const SIGNED_PARTS = [
  'method',
  'host',
  'path',
  'query',
  'path_and_query',
  'url',
  'body',
  'body_hash',
  'timestamp',
  'nonce',
  'key_id',
] as const;

export const HmacAuth = Type.Object(
  {
    type: Type.Literal('hmac'),
    key_id: Type.Optional(Text('Key id', 'Who we are; stands for `{key_id}`.')),
    secret: Secret({ title: 'Secret', description: 'It signs and is never sent.', minLength: 1 }),
    secret_format: oneOf(['text', 'hex', 'base64'], {
      default: 'text',
      title: 'Format of the secret',
      description: 'How the bytes of the secret are written.',
    }),
    algorithm: oneOf(['sha256', 'sha512', 'sha1'], {
      default: 'sha256',
      title: 'Algorithm',
      description: 'The hash of the signature, and of `{body_hash}`.',
    }),
    message: Text(
      'Message',
      `What is signed. In braces: ${SIGNED_PARTS.map((part) => `\`{${part}}\``).join(', ')}. A line break is written as one, or as \\n.`,
    ),
    encoding: oneOf(['hex', 'base64', 'base64url'], {
      default: 'hex',
      title: 'Encoding',
      description: 'How the signature and `{body_hash}` are written.',
    }),
    timestamp: oneOf(['seconds', 'millis', 'iso'], { default: 'seconds', title: 'Time', description: 'How `{timestamp}` is written.' }),
    headers: Type.Array(
      Type.Object(
        {
          name: Text('Name', 'The name of the header, such as `X-Signature`.', 200),
          value: Text('Value', 'Its value: `{signature}`, and what may stand in the message, such as `{timestamp}`.'),
        },
        closed,
      ),
      { minItems: 1, maxItems: 20, title: 'Headers', description: 'The headers that hold the signature and what it takes to verify it.' },
    ),
  },
  { ...closed, title: 'Signature with a shared secret (HMAC)' },
);
export type HmacAuth = Static<typeof HmacAuth>;
