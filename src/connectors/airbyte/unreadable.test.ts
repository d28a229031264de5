import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { checkStreams, declared, openStreams, readManifestStream } from '../../../test/support/airbyte-manifest.ts';
import { outline } from './outline.ts';

let api: ApiServer;
before(async () => {
  api = await startApi((_, response) => sendJson(response, { data: [{ id: 1 }] }));
});
after(() => api.close());

const option = { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'limit' };
const smaller = (pagination_strategy: object, page_token_option: object = option): object => ({
  page_size_reduction: { type: 'PageSizeReduction' },
  paginator: { type: 'DefaultPaginator', page_size_option: option, page_token_option, pagination_strategy },
});
const expander = { type: 'RecordExpander', expand_records_from_field: ['lines'], truncated_list_retriever: { type: 'SimpleRetriever' } };

/** What keeps a stream from being read, by its name. */
const LACKING: Readonly<Record<string, [object, string, RegExp]>> = {
  tokens: [
    { requester: { authenticator: { type: 'RateLimitedMultipleTokenAuthenticator', tokens: 'a,b' } } },
    'RateLimitedMultipleTokenAuthenticator',
    /takes turns with several tokens/,
  ],
  rest: [
    {
      retriever: {
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [], record_expander: expander } },
      },
    },
    'truncated_list_retriever',
    /fetches the rest of lists/,
  ],
  counted: [{ retriever: smaller({ type: 'PageIncrement', page_size: 8 }) }, 'page_size_reduction', /are counted \(PageIncrement\)/],
  addressed: [
    { retriever: smaller({ type: 'CursorPagination', page_size: 8, cursor_value: '{{ response.next }}' }, { type: 'RequestPath' }) },
    'page_size_reduction',
    /makes their addresses/,
  ],
  sizeless: [{ retriever: smaller({ type: 'OffsetIncrement' }) }, 'page_size_reduction', /have no size/],
};

test('what cannot be run of the language is told before anything is read', async () => {
  const streams = Object.entries(LACKING).map(([name, [given]]) => declared(api.url, { name, ...given }));
  const files = { type: 'FileUploader' };
  const all = [declared(api.url, { stream: { file_uploader: files } }), ...streams];
  const text = JSON.stringify({
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['things'] },
    streams: all,
  });
  const { streams: readable, unreadable } = await outline(text, {});
  assert.deepEqual(readable, ['things']);
  assert.deepEqual(
    unreadable.map(({ name, needs }) => [name, needs]),
    Object.entries(LACKING).map(([name, [, needed]]) => [name, [needed]]),
  );
  const manifest = openStreams(all);
  for (const { name, reason } of unreadable) {
    assert.match(reason, LACKING[name]?.[2] ?? /none/);
    await assert.rejects(readManifestStream(manifest, name, { fields: ['id'] }), {
      code: 'COMPONENT_UNSUPPORTED',
      message: new RegExp(`cannot be read: ${RegExp.escape(reason)}`),
    });
  }
  const { warnings } = await checkStreams(manifest);
  assert.match(warnings[0] ?? '', /cannot be read: tokens \(RateLimitedMultipleTokenAuthenticator\), rest/);
  assert.match(warnings[1] ?? '', /not the files that they point at: things\./);
  manifest.close();
});
