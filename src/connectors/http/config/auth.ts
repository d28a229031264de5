import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { Secret } from '../../config-values.ts';
import { LoginAuth } from './login.ts';
import { OAuthClient, OAuthJwt, OAuthRefresh } from './oauth.ts';
import { AwsAuth, HmacAuth } from './signing.ts';

const closed = { additionalProperties: false };

function Name(title: string, description: string): TSchema<string> {
  return Type.String({ minLength: 1, maxLength: 200, title, description });
}

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
        name: Name('Header', 'The name of the header, such as `X-Api-Key`.'),
        value: Secret({ title: 'Value', description: 'The key, as it stands in the header.', minLength: 1 }),
      },
      { ...closed, title: 'Key in a header' },
    ),
    Type.Object(
      {
        type: Type.Literal('query'),
        name: Name('Parameter', 'The name of the query parameter, such as `api_key`.'),
        value: Secret({ title: 'Value', description: 'The key.', minLength: 1 }),
      },
      { ...closed, title: 'Key in the query' },
    ),
    LoginAuth,
    OAuthClient,
    OAuthRefresh,
    OAuthJwt,
    AwsAuth,
    HmacAuth,
  ],
  { default: { type: 'none' }, title: 'Authentication', description: 'How the API knows who asks.' },
);

export type Auth = Static<typeof Auth>;
