import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT_TOPICS, TYPES_BEGIN } from '../events/topics.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { matchesType, namedTopics, patternFault, topicsOf } from './filter.ts';

const apiDocument = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

const piece = fc.stringMatching(/^[a-c._]{0,4}$/);
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('*'));
const type = fc.stringMatching(/^[a-c._]{0,12}$/);

/** The same by a regular expression, which may try many ways. */
function asExpression(text: string): RegExp {
  return new RegExp(
    `^${text
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  );
}

test('types are matched as it says in the documentation', () => {
  assert.ok(matchesType(['order.*', 'product.updated'], 'order.created'));
  assert.ok(matchesType(['order.*', 'product.updated'], 'product.updated'));
  assert.ok(!matchesType(['order.*', 'product.updated'], 'product.created'));
  assert.ok(matchesType(['*'], 'run.succeeded'));
  assert.ok(matchesType(['*.deleted'], 'source.deleted'));
  assert.ok(!matchesType(['order.*'], 'order'));
  assert.ok(!matchesType(['order.'], 'order.created'));
  assert.ok(!matchesType(['ab*ba'], 'aba'));
  assert.ok(!matchesType([], 'order.created'));
});

test('a star stands for any text, and nothing else does', () => {
  fc.assert(
    fc.property(pattern, type, (one, candidate) => {
      assert.equal(matchesType([one], candidate), asExpression(one).test(candidate));
    }),
    { numRuns: 2000 },
  );
});

test('what was made of a pattern is matched by it', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), fc.array(piece, { minLength: 5, maxLength: 5 }), (pieces, filling) => {
      const made = pieces.map((one, place) => (place === 0 ? one : (filling[place] ?? '') + one)).join('');
      assert.ok(matchesType([pieces.join('*')], made));
    }),
  );
});

test('a pattern with many stars is no work', () => {
  const begun = performance.now();
  assert.ok(!matchesType([`${'*a'.repeat(49)}b`], 'a'.repeat(10_000)));
  assert.ok(performance.now() - begun < 100);
});

test('the topics of patterns are those that have a type that is meant', () => {
  assert.deepEqual(topicsOf(['*']), EVENT_TOPICS);
  assert.deepEqual(topicsOf(['order.*']), ['orders']);
  assert.deepEqual(topicsOf(['s*']), ['stock', 'sources', 'syncs']);
  assert.deepEqual(topicsOf(['*.deleted']), EVENT_TOPICS);
  assert.deepEqual(topicsOf(['orders.*', 'order']), []);
  assert.deepEqual(topicsOf(['incident.opened']), ['keys', 'webhooks', 'incidents']);
  assert.deepEqual(topicsOf(['alert.*']), ['webhooks']);
  assert.deepEqual(namedTopics(['*', 'run.*', 's*']), [['runs']]);
  assert.deepEqual(namedTopics(['incident.*']), [['keys', 'webhooks', 'incidents']]);
  const begun = fc.constantFrom(...EVENT_TOPICS).chain((topic) => fc.tuple(fc.constant(topic), fc.constantFrom(...TYPES_BEGIN[topic])));
  fc.assert(
    fc.property(begun, pattern, fc.boolean(), type, ([topic, begin], rest, isFull, tail) => {
      const one = isFull ? begin + rest : `${begin.slice(0, 3)}*${rest}`;
      // Whatever an endpoint could be sent is among its topics: its scopes are made from these.
      if (matchesType([one], begin + tail)) assert.ok(topicsOf([one]).includes(topic));
      for (const named of namedTopics([one]).flat()) assert.ok(topicsOf([one]).includes(named));
    }),
  );
});

test('what no event can be is told', () => {
  for (const right of ['*', 'order.*', 'order.created', '*.deleted', 'run.succeeded', 'o*'])
    assert.equal(patternFault(right), undefined, right);
  assert.match(patternFault('orders.*') ?? '', /no type of event that there is/);
  for (const [mistyped, advice] of [
    ['order.creatd', /Did you mean order\.created\?$/],
    ['orders.*', /Did you mean order\.\*\?$/],
    ['run.suceeded', /Did you mean run\.succeeded\?$/],
    [
      'order.payment',
      /There are order\.created, order\.imported, order\.status_changed, order\.updated, order\.fulfilled, order\.returned, order\.refunded, order\.erased$/,
    ],
    ['*.delted', /There are order\.\*, product\.\*/],
    ['webhook.test', /no type of event that there is/],
  ] as const)
    assert.match(patternFault(mistyped) ?? '', advice, mistyped);
  for (const type of EVENT_TYPES) {
    assert.equal(patternFault(type), undefined);
    assert.equal(topicsOf([type]).length > 0, true, type);
    assert.ok(apiDocument.includes(`\`${type}\``), `docs/api.md lists ${type}`);
  }
  assert.match(patternFault('Order.created') ?? '', /must be a type of event/);
  assert.match(patternFault('order created') ?? '', /must be a type of event/);
});
