import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { GraphqlQuery } from './graphql.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 500): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

export const Lookup = Type.Object(
  {
    field: Text('Field', 'The field of the record whose value is looked up, such as `sku`.', 200),
    into: Text('Into', 'The field that takes what was found, such as `id`. It can stand in the path, and is sent with the record.', 200),
    path: Text(
      'Path',
      'Where it is looked up, below the base URL. `{value}` stands for the value, such as `/products/by-sku/{value}`.',
      2000,
    ),
    param: Type.Optional(Text('Parameter', 'The query parameter that takes the value; of GraphQL, the place in the variables.', 200)),
    params: Type.Array(
      Type.Object(
        { name: Text('Name', 'Its name.', 200), value: Type.String({ maxLength: 10_000, title: 'Value', description: 'Its value.' }) },
        closed,
      ),
      { default: [], maxItems: 50, title: 'Parameters', description: 'Sent in the query of every request that looks something up.' },
    ),
    graphql: Type.Optional(GraphqlQuery),
    records: Type.Optional(
      Type.String({
        maxLength: 500,
        title: 'Records',
        description: 'Where what was found is in the answer. Without it, it is looked for.',
      }),
    ),
    match: Type.Optional(
      Text(
        'Match',
        'The member of what was found that has to be the value. Without it, the member of the field’s name, where there is one.',
      ),
    ),
    take: Type.String({
      minLength: 1,
      maxLength: 500,
      default: 'id',
      title: 'Take',
      description: 'The member of what was found that is wanted.',
    }),
    batch_size: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 1,
      title: 'Batch size',
      description:
        'How many values go into one request: in the query with commas between them, of GraphQL as a list. More than 1 needs `match`.',
    }),
    field_is: Type.Unsafe<'sent' | 'left out'>(
      Type.String({
        enum: ['sent', 'left out'],
        default: 'left out',
        title: 'The field is',
        description: 'Whether the field that was looked up is sent with the record as well.',
      }),
    ),
  },
  closed,
);
export type Lookup = Static<typeof Lookup>;
