import { type Static, type TSchema, Type } from '../../../lib/schema.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength: number): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

export const GraphqlQuery = Type.Object(
  {
    query: Text('Query', 'The query, with variables for paging and for what is new.', 100_000),
    variables: Type.Optional(
      Type.String({
        maxLength: 100_000,
        title: 'Variables',
        description: 'Of every request, as the text of a JSON object. Parameters of paging and of incremental reading are put into it.',
      }),
    ),
  },
  { ...closed, title: 'GraphQL', description: 'A query instead of a method and a body.' },
);

const GraphqlCallSchema = Type.Object(
  {
    call: Text(
      'Call',
      'What the mutation does for one record: its field, with arguments and what is asked back, such as `productUpdate(input: $input) { userErrors { message } }`.',
      20_000,
    ),
    variables: Type.Array(
      Type.Object(
        {
          name: Text('Name', 'As it stands in the call, without the dollar sign.', 200),
          type: Text('Type', 'Its GraphQL type, such as `ProductInput!`.', 200),
          field: Type.Optional(Text('Field', 'The field of the record that it holds. Without it, the record.', 200)),
        },
        closed,
      ),
      { minItems: 1, maxItems: 50, title: 'Variables', description: 'What the call needs of the record.' },
    ),
  },
  closed,
);
export type GraphqlCall = Static<typeof GraphqlCallSchema>;

export function GraphqlCall(title: string, description: string) {
  return Type.Optional<GraphqlCall>({ ...GraphqlCallSchema, title, description } as never);
}
