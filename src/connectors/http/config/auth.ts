import { type Static, Type } from '../../../lib/schema.ts';
import { Secret } from '../../config-values.ts';

const closed = { additionalProperties: false };

export const Auth = Type.OneOf(
  [
    Type.Object({ type: Type.Literal('none') }, { ...closed, title: 'None' }),
    Type.Object(
      {
        type: Type.Literal('bearer'),
        token: Secret({ title: 'Token', description: 'Sent as `Authorization: Bearer …`.', minLength: 1 }),
      },
      { ...closed, title: 'Bearer token' },
    ),
    Type.Object(
      {
        type: Type.Literal('basic'),
        username: Type.String({ maxLength: 1000, title: 'User name', description: 'Must not contain a colon.' }),
        password: Secret({ title: 'Password', description: 'Sent with the user name as `Authorization: Basic …`.' }),
      },
      { ...closed, title: 'User name and password' },
    ),
    Type.Object(
      {
        type: Type.Literal('header'),
        name: Type.String({ minLength: 1, maxLength: 200, title: 'Header', description: 'The name of the header, such as `X-Api-Key`.' }),
        value: Secret({ title: 'Value', description: 'The key, as it stands in the header.', minLength: 1 }),
      },
      { ...closed, title: 'Key in a header' },
    ),
    Type.Object(
      {
        type: Type.Literal('query'),
        name: Type.String({
          minLength: 1,
          maxLength: 200,
          title: 'Parameter',
          description: 'The name of the query parameter, such as `api_key`.',
        }),
        value: Secret({ title: 'Value', description: 'The key.', minLength: 1 }),
      },
      { ...closed, title: 'Key in the query' },
    ),
    Type.Object(
      {
        type: Type.Literal('oauth2_client_credentials'),
        token_url: Type.String({
          minLength: 1,
          maxLength: 2000,
          title: 'Token URL',
          description: 'Where tokens are given out, such as `https://login.example.com/oauth2/token`.',
        }),
        client_id: Type.String({ minLength: 1, maxLength: 1000, title: 'Client id', description: 'Who we are to the token server.' }),
        client_secret: Secret({ title: 'Client secret', description: 'The secret that belongs to the client id.', minLength: 1 }),
        scope: Type.Optional(
          Type.String({ maxLength: 2000, title: 'Scope', description: 'What the token is to allow; several are separated by spaces.' }),
        ),
        audience: Type.Optional(
          Type.String({ maxLength: 2000, title: 'Audience', description: 'For whom the token is; some token servers ask for it.' }),
        ),
        client_in: Type.Unsafe<'header' | 'body'>(
          Type.String({
            enum: ['header', 'body'],
            default: 'header',
            title: 'Send the client in',
            description: 'Whether id and secret go into the header (`Authorization: Basic`) or into the form.',
          }),
        ),
      },
      { ...closed, title: 'OAuth 2 client credentials' },
    ),
  ],
  { default: { type: 'none' }, title: 'Authentication', description: 'How the API knows who asks.' },
);

export type Auth = Static<typeof Auth>;
