import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { Errors, Success } from './outcome.ts';
import { GraphqlQuery } from './graphql.ts';

const closed = { additionalProperties: false };

function Text(title: string, description: string, maxLength = 500): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

function oneOf<const Word extends string>(words: readonly Word[], options: { title: string; description: string; default: Word }) {
  return Type.Unsafe<Word>(Type.String({ enum: words, ...options }));
}

function Words(title: string, description: string, usual: readonly string[]) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { default: usual, minItems: 1, maxItems: 20, title, description });
}

/** An export that the API makes in the background. The stream's own request starts it. */
export const Export = Type.Object(
  {
    id: Type.Optional(
      Text(
        'Id',
        'Where the answer to the start holds the id of the export, such as `id`. `{id}` stands for it in the path and in the variables.',
      ),
    ),
    poll_path: Text('Path to ask at', 'Where to ask how far it is, such as `/exports/{id}`.', 2000),
    poll_method: oneOf(['GET', 'POST'], { default: 'GET', title: 'Method to ask with', description: 'GraphQL is always asked with POST.' }),
    poll_graphql: Type.Optional(GraphqlQuery),
    status: Text('Status', 'Where the answer says how far it is, such as `status` or `data.currentBulkOperation.status`.'),
    done: Words('Done', 'What it says there when the export is ready, in upper or lower case.', [
      'completed',
      'complete',
      'done',
      'finished',
      'ready',
      'success',
    ]),
    failed: Words('Failed', 'What it says there when there will be none.', [
      'failed',
      'error',
      'canceled',
      'cancelled',
      'expired',
      'aborted',
    ]),
    url: Text('Download', 'Where the answer then holds the address of the file. None, when nothing was found, is an empty export.'),
    format: oneOf(['jsonl', 'csv', 'json'], {
      default: 'jsonl',
      title: 'Format',
      description: 'Of the file: JSON Lines, CSV with names in its first line, or JSON. Packed with gzip or not is noticed.',
    }),
    separator: Type.String({
      minLength: 1,
      maxLength: 1,
      default: ',',
      title: 'Separator',
      description: 'Between the values of a CSV file.',
    }),
    only_with: Type.Optional(Text('Only with', 'Only records that have this member, such as `__parentId` for what belongs to others.')),
    only_without: Type.Optional(Text('Only without', 'Only records that do not have this member.')),
    interval_seconds: Type.Number({
      minimum: 0.05,
      maximum: 3600,
      default: 5,
      title: 'Interval',
      description: 'Seconds between two questions how far it is.',
    }),
    max_minutes: Type.Number({
      minimum: 0.01,
      maximum: 10_080,
      default: 120,
      title: 'Longest wait',
      description: 'Minutes after which the export is given up.',
    }),
    success: Success('the start of an export'),
    errors: Errors('the answer to the start, or to a question how far it is,'),
  },
  {
    ...closed,
    title: 'Export',
    description: 'Where the records come from an export that the API makes in the background: start, ask how far it is, download.',
  },
);
export type Export = Static<typeof Export>;
