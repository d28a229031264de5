import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { Secret } from '../../config-values.ts';
import { Errors, Success } from './outcome.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 2000): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

function oneOf<const Word extends string>(words: readonly Word[], options: { title: string; description: string; default: Word }) {
  return Type.Unsafe<Word>(Type.String({ enum: words, ...options }));
}

/** A request of the API's own by which one logs in. */
export const LoginAuth = Type.Object(
  {
    type: Type.Literal('login'),
    url: Text('Address', 'Where one logs in: a path below the base URL such as `/auth/login`, or a whole address.'),
    method: oneOf(['POST', 'PUT', 'GET'], { default: 'POST', title: 'Method', description: 'The method of the request that logs in.' }),
    format: oneOf(['json', 'form', 'query'], {
      default: 'json',
      title: 'Format',
      description: 'How the values are sent: as a JSON body, as a form, or in the query.',
    }),
    body: Type.Optional(
      Type.String({
        maxLength: 100_000,
        title: 'Body',
        description: 'What goes along in a JSON body, as the text of a JSON object, such as the `query` of GraphQL.',
      }),
    ),
    values: Type.Array(
      Type.Object(
        {
          name: Text('Name', 'Its place, such as `username` or `variables.username`.', 200),
          value: Type.String({ maxLength: 10_000, title: 'Value', description: 'Its value.' }),
        },
        closed,
      ),
      { default: [], maxItems: 50, title: 'Values', description: 'What we log in with, as far as it is no secret.' },
    ),
    secrets: Type.Array(
      Type.Object(
        {
          name: Text('Name', 'Its place, such as `password` or `variables.password`.', 200),
          value: Secret({ title: 'Value', description: 'The secret.', minLength: 1 }),
        },
        closed,
      ),
      { default: [], maxItems: 20, title: 'Secrets', description: 'What we log in with and nobody is to see.' },
    ),
    token: Type.Optional(
      Text('Token', 'Where the answer holds the token, such as `access_token` or `data.token`; `/` when it is the answer itself.', 500),
    ),
    token_header: Type.Optional(
      Text('Header of the token', 'The header of the answer that holds the token, instead of a place in the body.', 200),
    ),
    cookies: Type.Boolean({
      default: false,
      title: 'Cookies',
      description: 'Whether cookies that the API sets, at the log-in and later, are sent back to it.',
    }),
    expires: Type.Optional(
      Text(
        'Where it says when it ends',
        'The place of the token’s lifetime in seconds, or of the time at which it ends, such as `expires_in`.',
        500,
      ),
    ),
    lifetime_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        title: 'Lifetime',
        description: 'After how many seconds we log in anew, where the answer does not say. Without it, when the API refuses us (401).',
      }),
    ),
    send_in: oneOf(['header', 'query', 'cookie'], {
      default: 'header',
      title: 'Send the token in',
      description: 'Where the token goes in each request.',
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      default: 'Authorization',
      title: 'Name',
      description: 'Of the header, the parameter or the cookie that holds the token.',
    }),
    scheme: Type.String({
      maxLength: 100,
      default: 'Bearer',
      title: 'Scheme',
      description: 'The word before the token in a header. Empty: the token alone.',
    }),
    success: Success('the log-in'),
    errors: Errors('the answer to the log-in'),
  },
  { ...closed, title: 'Log-in by a request' },
);
export type LoginAuth = Static<typeof LoginAuth>;
