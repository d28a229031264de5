import { type TSchema, Type } from '../../../lib/schema.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 500): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

function Taken(title: string, description: string, what: string, most: number) {
  return Type.Array(
    Type.Object(
      { name: Text('Name', what, 200), path: Text('Place', 'Where it is in the record of the other stream, such as `id`.') },
      closed,
    ),
    { default: [], maxItems: most, title, description },
  );
}

export const From = Type.Object(
  {
    stream: Text('Stream', 'The name of the other stream, such as `orders`.', 200),
    list: Type.Optional(
      Text(
        'List',
        'Where its records hold the list that is this stream, such as `lines`. Without it, there is a request for each of its records.',
      ),
    ),
    params: Taken(
      'Parameters',
      'What a request for one of its records is made with: `{name}` in the path is filled with it; what is not in the path is sent as a parameter.',
      'Of the parameter.',
      20,
    ),
    fields: Taken(
      'Fields',
      'What each record of this stream gets from the other: its key above all, and the time of its last change.',
      'Of the field.',
      50,
    ),
  },
  {
    ...closed,
    title: 'From another stream',
    description: 'Where the records belong to those of another stream, such as the lines of orders.',
  },
);

export const Deleted = Type.Object(
  {
    path: Text('Place', 'Where a record says that it was deleted, such as `deleted_at` or `status`.'),
    equals: Type.Array(Type.String({ maxLength: 200 }), {
      default: [],
      maxItems: 20,
      title: 'Values',
      description: 'What it says there then, such as `archived`. Without it, anything but nothing, `false`, 0 and an empty text.',
    }),
  },
  {
    ...closed,
    title: 'Deleted',
    description: 'How a record says that it is gone. An incremental read tells of its deletion, any other leaves it out.',
  },
);

export const Deletions = Type.Object(
  {
    stream: Text('Stream', 'The name of the stream whose records tell of deletions. It is read incrementally.', 200),
    key: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 32,
      title: 'Key',
      description: 'The fields of that stream that hold the key of what was deleted, in the order of this stream’s key.',
    }),
  },
  {
    ...closed,
    title: 'Deletions',
    description: 'Where the API tells of deletions in a stream of its own: before each incremental read that is read.',
  },
);
