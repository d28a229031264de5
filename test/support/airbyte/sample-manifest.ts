/** A manifest with one stream for each way to ask for pages, slices and partitions. */
export function sampleManifest(): string {
  return JSON.stringify({
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['by_page'] },
    spec: {
      type: 'Spec',
      connection_specification: {
        type: 'object',
        required: ['api_key', 'client_id', 'client_secret', 'start_date'],
        properties: {
          api_key: { type: 'string', airbyte_secret: true },
          client_id: { type: 'string' },
          client_secret: { type: 'string', airbyte_secret: true },
          start_date: { type: 'string', format: 'date-time' },
        },
      },
    },
    streams: [
      stream('by_page', { paginator: paginator({ type: 'PageIncrement', page_size: 3, start_from_page: 1 }, parameter('page')) }),
      stream('by_offset', {
        paginator: paginator(
          { type: 'OffsetIncrement', page_size: 2, inject_on_first_request: true },
          { ...parameter('offset'), inject_into: 'body_json' },
        ),
        requester: { http_method: 'POST', request_body_json: { kind: 'thing' }, authenticator: oauth },
      }),
      stream('by_token', { paginator: paginator(cursorOf('{{ response.next }}', '{{ not response.next }}'), parameter('cursor')) }),
      stream('by_address', { paginator: paginator(cursorOf("{{ response.get('links', {}).get('next') }}"), { type: 'RequestPath' }) }),
      stream('by_header', {
        paginator: paginator(cursorOf("{{ headers['link']['next']['url'] }}", "{{ 'next' not in headers['link'] }}"), {
          type: 'RequestPath',
        }),
        requester: { authenticator: { type: 'BasicHttpAuthenticator', username: 'me', password: "{{ config['api_key'] }}" } },
      }),
      stream('by_record', { paginator: paginator(cursorOf("{{ last_record['id'] }}", '{{ not response.has_more }}'), parameter('after')) }),
      stream(
        'sliced',
        { paginator: byPage },
        { incremental_sync: times({ step: 'P3D', cursor_granularity: 'PT1S', end_time_option: parameter('until') }) },
      ),
      stream(
        'by_day',
        { requester: { request_parameters: { filter: "day>={{ stream_interval['start_time'] }}" } } },
        { incremental_sync: days },
      ),
      stream(
        'kept_here',
        { paginator: byPage },
        { incremental_sync: times({ is_client_side_incremental: true, start_time_option: undefined }) },
      ),
      stream('feed', { paginator: byPage }, { incremental_sync: times({ is_data_feed: true, start_time_option: undefined }) }),
      stream('looks_back', { paginator: byPage }, { incremental_sync: times({ lookback_window: 'P6D' }) }),
      stream('children', {
        paginator: byPage,
        partition_router: below(parent),
        requester: { path: "/parents/{{ stream_partition['parent'] }}/children" },
      }),
      stream(
        'changed_children',
        {
          partition_router: { ...below(parent, { incremental_dependency: true }) },
          requester: { path: '/parents/{{ stream_partition.parent }}/changes' },
        },
        { incremental_sync: times({}) },
      ),
      stream('listed_children', {
        partition_router: [
          below(stream('parents', { paginator: byPage }, { incremental_sync: times({ end_time_option: parameter('until') }) })),
        ],
        requester: { path: "/parents/{{ stream_partition['parent'] }}/children" },
      }),
      stream('in_kinds', { partition_router: kinds, paginator: byPage }, { incremental_sync: times({}) }),
      {
        ...stream(
          'exported',
          {},
          { incremental_sync: times({ step: 'P6D', cursor_granularity: 'PT1S', end_time_option: parameter('until') }) },
        ),
        retriever: exported,
      },
    ],
  });
}

const parameter = (field_name: string): object => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
const paginator = (pagination_strategy: object, page_token_option: object): object => ({
  type: 'DefaultPaginator',
  pagination_strategy,
  page_token_option,
});
const byPage = paginator({ type: 'PageIncrement', page_size: 3 }, parameter('page'));
const cursorOf = (cursor_value: string, stop_condition?: string): object => ({
  type: 'CursorPagination',
  page_size: 3,
  cursor_value,
  stop_condition,
});
const key = {
  type: 'ApiKeyAuthenticator',
  api_token: "{{ config['api_key'] }}",
  inject_into: { ...parameter('x-key'), inject_into: 'header' },
};
const oauth = {
  type: 'OAuthAuthenticator',
  token_refresh_endpoint: 'https://api.invalid/token',
  client_id: "{{ config['client_id'] }}",
  client_secret: "{{ config['client_secret'] }}",
  grant_type: 'client_credentials',
};
const requester = (path: string, more: object = {}): object => ({
  type: 'HttpRequester',
  url_base: 'https://api.invalid/v1',
  path,
  http_method: 'GET',
  authenticator: key,
  ...more,
});
const selector = { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data', 'items'] } };
const schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, at: { type: 'string' }, size: { type: 'number' } },
};

function stream(
  name: string,
  { requester: own = {}, ...retriever }: { requester?: object; [name: string]: object | object[] },
  more: object = {},
): object {
  return {
    type: 'DeclarativeStream',
    name,
    primary_key: 'id',
    schema_loader: { type: 'InlineSchemaLoader', schema },
    retriever: { type: 'SimpleRetriever', record_selector: selector, requester: requester(`/${name}`, own), ...retriever },
    ...more,
  };
}

function times(more: object): object {
  const format = '%Y-%m-%dT%H:%M:%SZ';
  const start = { type: 'MinMaxDatetime', datetime: "{{ config['start_date'] }}", datetime_format: format };
  return {
    type: 'DatetimeBasedCursor',
    cursor_field: 'at',
    datetime_format: format,
    start_datetime: start,
    start_time_option: parameter('since'),
    ...more,
  };
}

const days = {
  type: 'DatetimeBasedCursor',
  cursor_field: 'at',
  datetime_format: '%Y-%m-%d',
  start_datetime: "{{ config['start_date'][:10] }}",
};
const parent = stream('parents', { paginator: byPage }, { incremental_sync: times({}) });
const below = (of: object, more: object = {}): object => ({
  type: 'SubstreamPartitionRouter',
  parent_stream_configs: [{ type: 'ParentStreamConfig', parent_key: 'id', partition_field: 'parent', stream: of, ...more }],
});
const kinds = { type: 'ListPartitionRouter', cursor_field: 'kind', values: ['a', 'b'], request_option: parameter('kind') };
const found = (...field_path: string[]): object => ({ type: 'DpathExtractor', field_path });
const exported = {
  type: 'AsyncRetriever',
  record_selector: { type: 'RecordSelector', extractor: found() },
  creation_requester: requester('/exports', { http_method: 'POST' }),
  polling_requester: requester("/exports/{{ creation_response['id'] }}"),
  download_requester: requester('', { url_base: '{{ download_target }}' }),
  status_extractor: found('status'),
  status_mapping: { type: 'AsyncJobStatusMap', running: ['at work'], completed: ['done'], failed: ['failed'], timeout: ['late'] },
  download_target_extractor: found('files'),
  download_decoder: { type: 'GzipDecoder', decoder: { type: 'CsvDecoder' } },
};
