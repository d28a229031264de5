import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT_TYPES } from '../events/event-types.ts';
import { checkerOf } from '../lib/check.ts';
import { reachOf } from '../outside/reach.ts';
import { patternFault } from './filter.ts';
import { urlFault } from './rules.ts';
import { NewWebhook } from './schemas.ts';

const checker = checkerOf(NewWebhook);
const faultsOf = (members: object) => checker.explain({ name: 'a', url: 'https://a.example/', ...members });

test('the schema refuses no address that is taken, and says of others what the handler says', () => {
  const reach = reachOf('any');
  const text = fc.tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://', 'http:', 'ftp://', '//', '', ' http://'),
    fc.constantFrom('a.example', 'a.example:8443', '10.0.0.1', '[::1]', 'ä.example', 'a b', 'a\\b', '', 'a.example\n'),
    fc.constantFrom('', '/', '/in?a=1', '/a b', '/\u00a0', '\t'),
  );
  fc.assert(
    fc.property(text, (parts) => {
      const url = parts.join('');
      const [fault] = url === '' ? [] : faultsOf({ url });
      if (urlFault(url, reach) === undefined) assert.equal(fault, undefined, url);
      if (fault) assert.deepEqual(fault, { field: 'url', reason: urlFault(url, reach) }, JSON.stringify(url));
    }),
    { numRuns: 2000 },
  );
});

test('the schema refuses no type of event that is taken, and says of others what the handler says', () => {
  for (const type of [...EVENT_TYPES, '*', 'order.*', '*.created']) assert.deepEqual(faultsOf({ types: [type] }), [], type);
  for (const type of ['Order.created', 'order created', 'order/created', 'ordér.*'])
    assert.deepEqual(faultsOf({ types: [type] }), [{ field: 'types[0]', reason: patternFault(type) }], type);
});
