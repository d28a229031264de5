import { type Static, type TSchema, Type } from '../../../lib/schema.ts';

const closed = { additionalProperties: false };

function PathTo(title: string, description: string): TSchema<string> {
  return Type.String({ minLength: 1, maxLength: 500, title, description });
}

function Codes(title: string, description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { default: [], maxItems: 100, uniqueItems: true, title, description });
}

const SuccessSchema = Type.Object(
  {
    path: PathTo('Place', 'Where the answer says whether it worked, such as `ok` or `meta.status`.'),
    equals: Type.String({
      maxLength: 200,
      default: 'true',
      title: 'Value',
      description: 'What it says there when it worked, as text: `true`, `0`, `success`. Anything else, or nothing, is a refusal.',
    }),
  },
  closed,
);
export type SuccessConfig = Static<typeof SuccessSchema>;

const ErrorsSchema = Type.Object(
  {
    top_level: Type.Boolean({
      default: true,
      title: 'At the top',
      description:
        'Whether `errors` or `error` at the top of an answer, when there is something in it, and a `success` or `ok` that is false, are a refusal whatever the status says. Switch it off only for an API that tells something else there.',
    }),
    web_page: Type.Boolean({
      default: true,
      title: 'Web pages',
      description:
        'Whether a web page as the answer to what is written is a refusal: it is most often a page to log in, or of a server that is down. Switch it off for an API that answers so.',
    }),
    path: Type.Optional(
      PathTo(
        'Another place',
        'Where the answer holds errors besides that, such as `data.productUpdate.userErrors`: a list, an object or a text. When it is empty or missing, there are none.',
      ),
    ),
    message: Type.Optional(
      PathTo(
        'Message',
        'Where its words are in an error, such as `message`. Without it, they are looked for where APIs usually have them.',
      ),
    ),
    code: Type.Optional(
      PathTo(
        'Code',
        'Where its code is in an error, such as `extensions.code`. Without it, it is looked for where APIs usually have it. The code decides what follows.',
      ),
    ),
    auth: Codes('Codes of rights', 'Codes, besides the usual ones, that mean that we are not known or not allowed to: the run stops.'),
    transient: Codes(
      'Codes that pass',
      'Codes, besides the usual ones, that mean that we ask too often or that the API is not well: the request is tried again.',
    ),
  },
  closed,
);
export type ErrorsConfig = Static<typeof ErrorsSchema>;

/** How an answer says that it is a refusal though its status says success. */
export interface Rules {
  readonly success?: SuccessConfig | undefined;
  readonly errors?: ErrorsConfig | undefined;
}

/** The condition of success, with what it is the success of. */
export function Success(what: string) {
  return Type.Optional<SuccessConfig>({ ...SuccessSchema, title: 'Success', description: `When ${what} has worked.` } as never);
}

/** The place of errors, with what they are the errors of. */
export function Errors(what: string) {
  const description = `Where ${what} tells of errors, and what their codes mean.`;
  return Type.Optional<ErrorsConfig>({ ...ErrorsSchema, title: 'Errors', description } as never);
}
