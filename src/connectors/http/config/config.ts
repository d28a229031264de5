import { type Static, type TSchema, Type } from '../../../lib/schema.ts';
import { CANONICAL_TYPES, type CanonicalType } from '../../canonical.ts';
import { Auth } from './auth.ts';
import { GraphqlCall, GraphqlQuery } from './graphql.ts';
import { Lookup } from './lookup.ts';
import { Errors, Success } from './outcome.ts';
import { Export } from './export.ts';
import { Paging } from './paging.ts';
import { Deleted, Deletions, From } from './sourcing.ts';

const closed = { additionalProperties: false };

function oneOf<const Word extends string>(words: readonly Word[], options: { title: string; description: string; default: Word }) {
  return Type.Unsafe<Word>(Type.String({ enum: words, ...options }));
}

function Text(title: string, description: string, maxLength = 2000): TSchema<string> {
  return Type.String({ minLength: 1, maxLength, title, description });
}

function Pairs(title: string, description: string) {
  return Type.Array(
    Type.Object(
      {
        name: Text('Name', 'Its name.', 200),
        value: Type.String({
          maxLength: 10_000,
          title: 'Value',
          description: 'Its value. Not for secrets: those belong to the authentication.',
        }),
      },
      closed,
    ),
    { default: [], maxItems: 100, title, description },
  );
}

const FieldSchema = Type.Object(
  {
    name: Text('Name', 'How the field is called in Syncline.', 200),
    type: Type.Unsafe<CanonicalType>(Type.String({ enum: CANONICAL_TYPES, title: 'Type', description: 'What its values are.' })),
    path: Type.Optional(
      Text('Place', 'Where it is in the record, such as `customer.id` or `/customer/id`. Without it, the member of the same name.'),
    ),
    required: Type.Boolean({ default: false, title: 'Required', description: 'A record without it is rejected.' }),
  },
  closed,
);
export type FieldConfig = Static<typeof FieldSchema>;

const Incremental = Type.Object(
  {
    field: Text('Field', 'The field that tells when a record was changed, such as `updated_at`.', 200),
    param: Text('Parameter', 'The parameter that asks for what changed since, such as `updated_since`.', 200),
    format: oneOf(['as_is', 'iso', 'epoch_seconds', 'epoch_millis'], {
      default: 'as_is',
      title: 'Format',
      description: 'How the value is sent: as the API wrote it, as ISO 8601 in UTC, or as seconds or milliseconds since 1970.',
    }),
    order: oneOf(['unknown', 'ascending'], {
      default: 'unknown',
      title: 'Order',
      description: 'Ascending when the API gives the oldest change first: then a read can go on even after its page has expired.',
    }),
    start: Type.Optional(
      Text('Start', 'The value for the first read, as the API takes it. Without it, the first read asks for everything.', 200),
    ),
    overlap: Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      default: 0,
      title: 'Overlap',
      description:
        'Asks for this much more than is new: seconds, or units of a number. At least 1 when the API leaves out records that changed at exactly the value it is asked for.',
    }),
  },
  { ...closed, title: 'Incremental', description: 'How to ask only for what is new or changed.' },
);
export type Incremental = Static<typeof Incremental>;

const WriteSchema = Type.Object(
  {
    modes: Type.Unsafe<('append' | 'upsert')[]>(
      Type.Array(Type.String({ enum: ['append', 'upsert'] }), {
        minItems: 1,
        uniqueItems: true,
        default: ['append'],
        title: 'Modes',
        description: 'What the API does with a record: add it, or add or change it by its key.',
      }),
    ),
    method: oneOf(['POST', 'PUT', 'PATCH'], { default: 'POST', title: 'Method', description: 'The method of the request.' }),
    path: Text('Path', 'Below the base URL. `{field}` stands for a value of the record, such as `/products/{id}`.'),
    batch_size: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1,
      title: 'Batch size',
      description: 'How many records go into one request; 1 sends each alone.',
    }),
    wrapper: Type.Optional(
      Text(
        'Wrapper',
        'The member of the body that holds the record, or the list of a batch, such as `order` or `data.items`. Without it, the body itself.',
      ),
    ),
    body: Type.Optional(
      Type.String({
        maxLength: 100_000,
        title: 'Body',
        description:
          'What goes along with every request, as JSON text, such as the `query` of GraphQL. The record is put into it at the wrapper.',
      }),
    ),
    results: Type.Optional(
      Text(
        'Results',
        'Where the answer to a batch holds one result for each record, such as `results`. A result with an error or a status of 400 and more is a reject.',
      ),
    ),
    graphql: GraphqlCall(
      'GraphQL',
      'A mutation instead of a body. With a batch size above 1, the calls of several records go into one request, each with its own result.',
    ),
    graphql_delete: GraphqlCall('GraphQL that removes', 'The mutation that removes a record, instead of a delete path.'),
    success: Success('a request that writes'),
    errors: Errors('the answer to a request that writes'),
    result_success: Success('one record of a batch, by its result,'),
    result_errors: Errors('the result of one record of a batch'),
    nulls: oneOf(['send', 'omit'], { default: 'send', title: 'Nulls', description: 'Whether fields that are null are sent or left out.' }),
    path_fields: oneOf(['send', 'omit'], {
      default: 'send',
      title: 'Fields of the path',
      description: 'Whether fields that stand in the path are sent in the body too.',
    }),
    idempotency_header: Type.String({
      maxLength: 200,
      default: 'Idempotency-Key',
      title: 'Idempotency header',
      description: 'The header by which the API knows a request that it has seen before. Empty: none is sent, and a retry may write twice.',
    }),
    idempotency_field: Type.Optional(
      Text(
        'Idempotency field',
        'The member of each record that holds a key of its own, such as `idempotency_key`, for an API that takes batches and knows each record again by such a key.',
        200,
      ),
    ),
    lookups: Type.Array(Lookup, {
      default: [],
      maxItems: 10,
      title: 'Lookups',
      description: 'What the API wants to be called by its own name, such as an id, and we know by another, such as an article number.',
    }),
    parallel: Type.Integer({
      minimum: 1,
      maximum: 16,
      default: 1,
      title: 'Parallel',
      description: 'How many requests may be under way at once. 1 keeps the order of the records.',
    }),
    delete_path: Type.Optional(
      Text('Delete path', 'Where a record is removed with DELETE, such as `/products/{id}`. Without it, nothing can be removed.'),
    ),
  },
  { ...closed, title: 'Writing', description: 'How records are written. Without it, the stream is read only.' },
);
export type WriteConfig = Static<typeof WriteSchema>;

const StreamSchema = Type.Object(
  {
    name: Text('Name', 'How the stream is called in Syncline.', 200),
    path: Type.Optional(
      Text(
        'Path',
        'Where its records are read, below the base URL, such as `/orders`. `{name}` is filled from the parameter of that name. Leave it out for a stream that is only written.',
      ),
    ),
    method: oneOf(['GET', 'POST'], { default: 'GET', title: 'Method', description: 'POST for APIs that are searched with a body.' }),
    body: Type.Optional(Type.String({ maxLength: 100_000, title: 'Body', description: 'Of a POST, as JSON text.' })),
    graphql: Type.Optional(GraphqlQuery),
    params: Pairs('Parameters', 'Sent in the query of every request, such as `status` and `open`.'),
    params_in: oneOf(['query', 'body'], {
      default: 'query',
      title: 'Send paging in',
      description: 'Whether the parameters of paging and of incremental reading go into the query or into the JSON body of a POST.',
    }),
    records: Type.Optional(
      Type.String({
        maxLength: 500,
        title: 'Records',
        description:
          'Where the records are in the answer: `data.items` or `/data/items`; `/` for the answer itself. Without it, they are looked for.',
      }),
    ),
    key: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      default: [],
      maxItems: 32,
      uniqueItems: true,
      title: 'Key',
      description: 'The fields that tell records apart, such as `id`.',
    }),
    fields: Type.Optional(
      Type.Array(FieldSchema, {
        minItems: 1,
        maxItems: 2000,
        title: 'Fields',
        description: 'The fields of a record and their types. Without them, both are inferred from the first page.',
      }),
    ),
    new_fields: oneOf(['stop', 'ignore'], {
      default: 'stop',
      title: 'New fields',
      description:
        'What to do when a record has a field that the first page did not have. Where the fields are declared, others are always ignored.',
    }),
    success: Success('the answer to a request that reads'),
    errors: Errors('the answer to a request that reads'),
    paging: Paging,
    incremental: Type.Optional(Incremental),
    from: Type.Optional(From),
    export: Type.Optional(Export),
    deleted: Type.Optional(Deleted),
    deletions: Type.Optional(Deletions),
    write: Type.Optional(WriteSchema),
  },
  closed,
);
export type HttpStreamConfig = Static<typeof StreamSchema>;

export const ConfigSchema = Type.Object(
  {
    base_url: Text('Base URL', 'What all paths have in common, such as `https://api.example.com/v2`.'),
    auth: Auth,
    headers: Pairs('Headers', 'Sent with every request, such as `Accept-Language` and `en`.'),
    streams: Type.Array(StreamSchema, { minItems: 1, maxItems: 500, title: 'Streams', description: 'What can be read and written.' }),
    tls: Type.Optional(
      Type.Object(
        {
          ca: Type.Optional(
            Type.String({
              maxLength: 1_000_000,
              title: 'Certificate authority',
              description: 'In PEM, for servers with a certificate of your own; trusted besides the public ones.',
            }),
          ),
          verify: Type.Boolean({
            default: true,
            title: 'Verify',
            description: 'Whether the certificate of the server is checked. Switch it off only to try something out.',
          }),
        },
        { ...closed, title: 'TLS', description: 'How the server proves who it is.' },
      ),
    ),
    requests_per_second: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 10_000,
        title: 'Requests per second',
        description: 'No more than this. Without it, as fast as the API answers.',
      }),
    ),
    requests_in_parallel: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 32,
        title: 'Requests at once',
        description: 'No more than this are under way at the same time, of all streams of a run together.',
      }),
    ),
    timeout_seconds: Type.Number({
      minimum: 0.1,
      maximum: 600,
      default: 30,
      title: 'Timeout',
      description: 'Seconds of silence after which a request is given up.',
    }),
    max_response_seconds: Type.Number({
      minimum: 1,
      maximum: 86_400,
      default: 600,
      title: 'Longest answer',
      description: 'Seconds in which an answer has to be complete.',
    }),
    max_response_mb: Type.Number({
      minimum: 0.001,
      maximum: 65_536,
      default: 256,
      title: 'Largest answer',
      description: 'Megabytes that an answer may have when unpacked.',
    }),
    max_wait_seconds: Type.Number({
      minimum: 0,
      maximum: 600,
      default: 60,
      title: 'Longest wait',
      description:
        'Seconds to wait in all until one request has worked: when the API says that we ask too often, or fails, the request is tried again, up to five times. When that is not enough, the run is tried again later. 0: never in place.',
    }),
    max_pages: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      default: 100_000,
      title: 'Most pages',
      description: 'Pages of one read after which it is stopped: an API without end would be read without end.',
    }),
  },
  closed,
);

/** With its defaults filled in. */
export type HttpConfig = Static<typeof ConfigSchema>;
