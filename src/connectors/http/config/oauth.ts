import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { Secret } from '../../config-values.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 2000): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

const TOKEN_URL = Text('Token URL', 'Where tokens are given out, such as `https://login.example.com/oauth2/token`.');
const CLIENT_ID = Text('Client id', 'Who we are to the token server.', 1000);
const CLIENT_IN = Type.Unsafe<'header' | 'body'>(
  Type.String({
    enum: ['header', 'body'],
    default: 'header',
    title: 'Send the client in',
    description: 'Whether id and secret go into the header (`Authorization: Basic`) or into the form.',
  }),
);
const SCOPE = Type.Optional(
  Type.String({ maxLength: 2000, title: 'Scope', description: 'What the token is to allow; several are separated by spaces.' }),
);

export const OAuthClient = Type.Object(
  {
    type: Type.Literal('oauth2_client_credentials'),
    token_url: TOKEN_URL,
    client_id: CLIENT_ID,
    client_secret: Secret({ title: 'Client secret', description: 'The secret that belongs to the client id.', minLength: 1 }),
    scope: SCOPE,
    audience: Type.Optional(
      Type.String({ maxLength: 2000, title: 'Audience', description: 'For whom the token is; some token servers ask for it.' }),
    ),
    client_in: CLIENT_IN,
  },
  { ...closed, title: 'OAuth 2 client credentials' },
);
export type OAuthClient = Static<typeof OAuthClient>;

export const OAuthRefresh = Type.Object(
  {
    type: Type.Literal('oauth2_refresh_token'),
    token_url: TOKEN_URL,
    client_id: CLIENT_ID,
    client_secret: Type.Optional(
      Secret({ title: 'Client secret', description: 'The secret that belongs to the client id; public clients have none.', minLength: 1 }),
    ),
    refresh_token: Secret({
      title: 'Refresh token',
      description:
        'What tokens are asked for with. Where the token server gives another with each token, the new one is kept in its place.',
      minLength: 1,
    }),
    scope: SCOPE,
    client_in: CLIENT_IN,
  },
  { ...closed, title: 'OAuth 2 refresh token' },
);
export type OAuthRefresh = Static<typeof OAuthRefresh>;

export const OAuthJwt = Type.Object(
  {
    type: Type.Literal('oauth2_jwt_bearer'),
    token_url: Type.Optional(
      Text('Token URL', 'Where tokens are given out for what we sign. Without it, what we sign is sent to the API itself as bearer token.'),
    ),
    algorithm: Type.Unsafe<'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384'>(
      Type.String({
        enum: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384'],
        default: 'RS256',
        title: 'Algorithm',
        description: 'How it is signed: with an RSA key (RS256, …) or an elliptic one (ES256, …).',
      }),
    ),
    private_key: Secret({ title: 'Private key', description: 'In PEM, beginning with `-----BEGIN PRIVATE KEY-----`.', minLength: 1 }),
    key_id: Type.Optional(Text('Key id', 'Which of our keys it is (`kid`), where the token server wants to know.', 1000)),
    issuer: Text('Issuer', 'Who signs (`iss`), such as the address of a service account.', 1000),
    subject: Type.Optional(Text('Subject', 'In whose name we ask (`sub`).', 1000)),
    audience: Type.Optional(Text('Audience', 'For whom it is (`aud`). Without it, the token URL.')),
    scope: SCOPE,
    claims: Type.Optional(
      Type.String({ maxLength: 10_000, title: 'More claims', description: 'What else is signed, as the text of a JSON object.' }),
    ),
    lifetime_seconds: Type.Integer({
      minimum: 10,
      maximum: 86_400,
      default: 300,
      title: 'Lifetime',
      description: 'Seconds for which what we sign is good.',
    }),
  },
  { ...closed, title: 'OAuth 2 JWT bearer' },
);
export type OAuthJwt = Static<typeof OAuthJwt>;
