import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkerOf } from '../../../lib/check.ts';
import { withDefaults } from '../../config-values.ts';
import { type HttpConfig, ConfigSchema } from './config.ts';
import { validate } from './validate.ts';

const good = { base_url: 'https://api.example.com/v1', streams: [{ name: 's', path: '/s' }] };

function faults(change: object): string[] {
  const config = { ...good, ...change };
  const told = checkerOf(ConfigSchema).explain(config);
  return [...told, ...(told.length > 0 ? [] : validate(config as HttpConfig))].map(({ field, reason }) => `${field} ${reason}`);
}

function ofStream(stream: object): string[] {
  return faults({ streams: [{ name: 's', path: '/s', ...stream }] }).map((fault) => fault.replace('streams[0].', ''));
}

describe('the declaration of an HTTP API', () => {
  test('needs little', () => {
    assert.deepEqual(faults({}), []);
    const filled = withDefaults(ConfigSchema, good) as HttpConfig;
    assert.deepEqual(filled.auth, { type: 'none' });
    assert.deepEqual(filled.streams[0]?.paging, { type: 'none' });
    assert.deepEqual([filled.timeout_seconds, filled.max_pages, filled.streams[0]?.method], [30, 100_000, 'GET']);
    const cursor = { ...good, streams: [{ name: 's', path: '/s', paging: { type: 'offset' } }] };
    assert.deepEqual((withDefaults(ConfigSchema, cursor) as HttpConfig).streams[0]?.paging, {
      type: 'offset',
      offset_param: 'offset',
      limit_param: 'limit',
      limit: 100,
    });
  });

  test('names the member that is wrong', () => {
    const cases: [object, string][] = [
      [{ base_url: 'api.example.com' }, 'base_url must be an address that begins with http:// or https://'],
      [{ base_url: 'ftp://api.example.com' }, 'base_url must be an address that begins with http:// or https://'],
      [{ base_url: 'https://ann:pw@api.example.com' }, 'base_url must not hold a user name or password; they belong to `auth`'],
      [{ base_url: 'https://api.example.com?key=1' }, 'base_url must end with the path: without ? and #'],
      [{ headers: [{ name: 'Host', value: 'x' }] }, 'headers[0].name is set by Syncline itself'],
      [{ headers: [{ name: 'a b', value: 'x' }] }, 'headers[0].name is not the name of a header'],
      [{ headers: [{ name: 'Authorization', value: 'x' }] }, 'headers[0].name belongs to `auth`, where it is kept secret'],
      [
        { headers: [{ name: 'X', value: 'a\r\nb: c' }] },
        'headers[0].value must not contain line breaks or characters that no header can hold',
      ],
      [
        { auth: { type: 'header', name: 'X-Key', value: 'a\nb' } },
        'auth.value must not contain line breaks or characters that no header can hold',
      ],
      [{ auth: { type: 'bearer', token: 'a b' } }, 'auth.token must not contain spaces or line breaks'],
      [{ auth: { type: 'basic', username: 'a:b', password: '' } }, 'auth.username must not contain a colon'],
      [
        { auth: { type: 'digest' } },
        'auth.type must be one of none, bearer, basic, header, query, login, oauth2_client_credentials, oauth2_refresh_token, oauth2_jwt_bearer, aws_sigv4, hmac',
      ],
      [
        { auth: { type: 'oauth2_client_credentials', token_url: 'x', client_id: 'a', client_secret: 'b' } },
        'auth.token_url must be an address that begins with http:// or https://',
      ],
      [{ tls: { ca: 'not a certificate' } }, 'tls.ca must be a certificate in PEM, beginning with -----BEGIN CERTIFICATE-----'],
      [{ streams: [] }, 'streams must have at least 1 entry'],
      [
        {
          streams: [
            { name: 's', path: '/a' },
            { name: 's', path: '/b' },
          ],
        },
        'streams[1].name is the name of another stream already',
      ],
      [{ stream: [] }, 'stream is not known here'],
    ];
    for (const [change, fault] of cases) assert.deepEqual(faults(change), [fault]);
  });

  test('names the member of a stream that is wrong', () => {
    const fields = [{ name: 'id', type: 'int64' }];
    const cases: [object, string][] = [
      [{ path: 'orders' }, 'path must begin with a single /'],
      [{ path: '//evil.example/' }, 'path must begin with a single /'],
      [{ path: '/a/../admin' }, 'path must not contain . or .. as a step'],
      [{ path: '/a/%2e%2E/admin' }, 'path must not contain . or .. as a step'],
      [{ path: '/a b' }, 'path must not contain spaces, backslashes or #'],
      [{ path: '/a/{id' }, 'path has a brace without its partner'],
      [{ path: '/a/{id}' }, 'path has {id}, but there is no parameter of that name'],
      [{ body: '{}' }, 'body is only for the method POST'],
      [{ method: 'POST', body: '[1]' }, 'body must be a JSON object'],
      [{ params_in: 'body' }, 'params_in can be body only for the method POST'],
      [{ paging: { type: 'cursor' } }, 'paging.next must be given, or last_field instead of it'],
      [{ paging: { type: 'cursor', next: 'n', last_field: 'id' } }, 'paging.next must be given, or last_field instead of it'],
      [{ paging: { type: 'page', size_param: 'limit' } }, 'paging.size goes together with size_param'],
      [{ paging: { type: 'scroll' } }, 'paging.type must be one of none, page, offset, cursor, next_url, link_header'],
      [{ fields: [...fields, ...fields] }, 'fields[1].name is the name of another field already'],
      [
        { fields: [{ name: 'id', type: 'number' }] },
        'fields[0].type must be one of text, int64, decimal, float64, boolean, date, time, timestamp, timestamptz, uuid, json, binary',
      ],
      [{ fields, key: ['no'] }, 'key[0] is not among the fields'],
      [{ fields, incremental: { field: 'at', param: 'since' } }, 'incremental.field is not among the fields'],
      [{ write: { path: '/w/{id}', batch_size: 5 } }, 'write.batch_size must be 1 where the path names the record by {field}'],
      [{ write: { path: '/w', delete_path: '/w' } }, 'write.delete_path must name the record by a field in braces, such as {id}'],
      [{ write: { path: '/w', results: 'r' } }, 'write.results is only for batches'],
      [{ write: { path: '/w', body: '[]', wrapper: 'r' } }, 'write.body must be a JSON object'],
      [{ write: { path: '/w', body: '{}' } }, 'write.wrapper is mandatory with a body: it says where the record goes'],
      [
        { write: { path: '/w', result_success: { path: 'ok' } } },
        'write.result_success is only for batches with `results`, and for `graphql`',
      ],
      [{ write: { path: '/w', result_errors: {} } }, 'write.result_errors is only for batches with `results`, and for `graphql`'],
      [{ fields, write: { path: '/w', idempotency_field: 'id' } }, 'write.idempotency_field is a field of the record already'],
      [{ success: {} }, 'success.path is mandatory'],
      [{ errors: { path: '' } }, 'errors.path must not be empty'],
      [{ errors: { codes: [] } }, 'errors.codes is not known here'],
      [
        { path: undefined, write: { path: '/w' }, success: { path: 'ok' } },
        'success is about reading, and there is no path to read from; for writing it belongs to `write`',
      ],
      [{ write: { path: '/w', modes: ['mirror'] } }, 'write.modes[0] must be one of append, upsert'],
      [{ write: { path: '/w', idempotency_header: 'Host' } }, 'write.idempotency_header is set by Syncline itself'],
    ];
    for (const [stream, fault] of cases) assert.deepEqual(ofStream(stream), [fault]);
    assert.deepEqual(faults({ streams: [{ name: 's' }] }), ['streams[0].path is mandatory unless the stream is only written']);
  });
});
