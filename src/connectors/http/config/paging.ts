import { type Static, type TSchema, Type } from '../../../lib/schema.ts';

const closed = { additionalProperties: false };

function name(title: string, description: string, fallback?: string): TSchema<string> {
  return Type.String({ minLength: 1, maxLength: 200, title, description, ...(fallback !== undefined && { default: fallback }) });
}

const SIZE = {
  size_param: Type.Optional(name('Parameter of the size', 'The parameter that says how many records a page has, such as `limit`.')),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, title: 'Size', description: 'How many records to ask for with each page.' }),
  ),
};
const MORE = {
  more: Type.Optional(
    name(
      'Where it says that there is more',
      'The place in the answer that is true while more pages follow, such as `has_more`. Without it, reading ends with an empty page.',
    ),
  ),
};

export const Paging = Type.OneOf(
  [
    Type.Object({ type: Type.Literal('none') }, { ...closed, title: 'One page' }),
    Type.Object(
      {
        type: Type.Literal('page'),
        param: name('Parameter', 'The parameter that takes the number of the page.', 'page'),
        start: Type.Integer({ minimum: 0, maximum: 1, default: 1, title: 'First page', description: 'Its number: 1, or 0.' }),
        ...SIZE,
        ...MORE,
      },
      { ...closed, title: 'Page number' },
    ),
    Type.Object(
      {
        type: Type.Literal('offset'),
        offset_param: name('Parameter of the offset', 'The parameter that says how many records to pass over.', 'offset'),
        limit_param: name('Parameter of the limit', 'The parameter that says how many records a page has.', 'limit'),
        limit: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          default: 100,
          title: 'Limit',
          description: 'How many records to ask for with each page.',
        }),
        ...MORE,
      },
      { ...closed, title: 'Offset and limit' },
    ),
    Type.Object(
      {
        type: Type.Literal('cursor'),
        param: name('Parameter', 'The parameter that takes the cursor.', 'cursor'),
        next: Type.Optional(
          name(
            'Where the next cursor is',
            'The place in the answer, such as `next_cursor` or `meta.next`. Reading ends where it is null or missing.',
          ),
        ),
        last_field: Type.Optional(
          name(
            'Field of the last record',
            'For APIs that go on behind the last record: the field of it that serves as cursor, such as `id`.',
          ),
        ),
        ...SIZE,
        ...MORE,
      },
      { ...closed, title: 'Cursor' },
    ),
    Type.Object(
      {
        type: Type.Literal('next_url'),
        next: name(
          'Where the next address is',
          'The place in the answer, such as `links.next`. Reading ends where it is null or missing.',
          'next',
        ),
        ...SIZE,
      },
      { ...closed, title: 'Address of the next page in the answer' },
    ),
    Type.Object(
      { type: Type.Literal('link_header'), ...SIZE },
      { ...closed, title: 'Link header', description: 'The header `Link: <…>; rel="next"`.' },
    ),
  ],
  { default: { type: 'none' }, title: 'Paging', description: 'How the API splits its records into pages.' },
);

export type Paging = Static<typeof Paging>;
