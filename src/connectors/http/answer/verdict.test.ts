import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ErrorsConfig } from '../config/outcome.ts';
import { complaintIn } from './verdict.ts';

const rules = (errors: Partial<ErrorsConfig>): { errors: ErrorsConfig } => ({
  errors: { top_level: true, web_page: true, auth: [], transient: [], ...errors },
});
const told = (answer: unknown, more = {}): unknown[] => {
  const complaint = complaintIn(answer, more);
  return complaint ? [complaint.kind, complaint.words] : [];
};

describe('the verdict about an answer with the status of a success', () => {
  test('errors at the top are a refusal when there is something in them, whatever else there is', () => {
    for (const nothing of [undefined, null, [], {}, '', false, 0, [null]])
      assert.deepEqual(told({ data: { id: 1 }, errors: nothing }), [], JSON.stringify(nothing));
    assert.deepEqual(told({ data: { id: 1 }, errors: [{ message: 'Half of it failed' }] }), ['data', 'Half of it failed']);
    assert.deepEqual(told({ errors: 'No' }), ['data', 'No']);
    assert.deepEqual(told({ errors: { price: ['must be positive'] } }), ['data', 'must be positive']);
    assert.deepEqual(told({ errors: true }), ['data', '']);
    for (const other of [null, undefined, [], [{ errors: [1] }], 'errors', 7]) assert.deepEqual(told(other), []);
    assert.deepEqual(told({ errors: [{ message: 'x' }] }, rules({ top_level: false })), []);
  });

  test('the code decides the kind, wherever it stands and however it is written', () => {
    const cases: [unknown, string][] = [
      [{ extensions: { code: 'UNAUTHENTICATED' } }, 'auth'],
      [{ extensions: { code: 'ACCESS_DENIED' } }, 'auth'],
      [{ code: 'forbidden' }, 'auth'],
      [{ code: 401 }, 'auth'],
      [{ type: 'about:blank', status: '403' }, 'auth'],
      [{ error: 'invalid_auth' }, 'auth'],
      [{ extensions: { code: 'THROTTLED' } }, 'throttled'],
      [{ code: 'rate-limited' }, 'throttled'],
      [{ status: 429 }, 'throttled'],
      [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }, 'failed'],
      [{ statusCode: 502 }, 'failed'],
      [{ extensions: { code: 'BAD_USER_INPUT' } }, 'data'],
      [{ extensions: { code: 'MAX_COST_EXCEEDED' } }, 'data'],
      [{ code: 42 }, 'data'],
      [{}, 'data'],
      ['THROTTLED', 'data'],
    ];
    for (const [error, kind] of cases) assert.equal(complaintIn({ errors: [error] }, {})?.kind ?? 'data', kind, JSON.stringify(error));
  });

  test('of several errors the one counts that stops most', () => {
    const error = (code: string): object => ({ message: code, extensions: { code } });
    fc.assert(
      fc.property(fc.shuffledSubarray(['BAD_USER_INPUT', 'TIMEOUT', 'THROTTLED', 'FORBIDDEN'], { minLength: 1 }), (codes) => {
        const expected = ['FORBIDDEN', 'THROTTLED', 'TIMEOUT', 'BAD_USER_INPUT'].find((code) => codes.includes(code));
        assert.equal(complaintIn({ errors: codes.map(error) }, {})?.words, expected);
      }),
    );
  });

  test('another place, another code and other words can be declared', () => {
    const answer = { data: { priceUpdate: { userErrors: [{ problem: { text: 'Too low', id: 'E17' } }] } } };
    assert.deepEqual(told(answer), []);
    const errors = { path: 'data.priceUpdate.userErrors', message: 'problem.text', code: 'problem.id' };
    assert.deepEqual(told(answer, rules(errors)), ['data', 'Too low']);
    assert.deepEqual(told(answer, rules({ ...errors, auth: ['E17'] })), ['auth', 'Too low']);
    assert.deepEqual(told(answer, rules({ ...errors, transient: ['e-17'] })), ['throttled', 'Too low']);
    // What stands at the top counts besides it.
    assert.deepEqual(told({ errors: ['top'] }, rules(errors)), ['data', 'top']);
  });

  test('a declared success is the only success', () => {
    const success = { path: 'ok', equals: 'true' };
    assert.deepEqual(told({ ok: true }, { success }), []);
    assert.deepEqual(told({ ok: 'true' }, { success }), []);
    assert.deepEqual(told({ ok: false, error: 'invalid_auth' }, { success }), ['auth', 'invalid_auth']);
    assert.deepEqual(told({ ok: false, message: 'Stop' }, { success }), ['data', 'Stop']);
    for (const other of [{}, null, undefined, []]) assert.deepEqual(told(other, { success }), ['data', 'there is no "ok", not true']);
    assert.deepEqual(told({ code: 0 }, { success: { path: 'code', equals: '0' } }), []);
    assert.deepEqual(told({ code: 429 }, { success: { path: 'code', equals: '0' } }), ['throttled', '"code" is 429, not 0']);
    assert.deepEqual(told({ ok: true, errors: ['and yet'] }, { success }), ['data', 'and yet']);
  });

  test('how long to wait is told by the error, or by what queries cost', () => {
    assert.equal(complaintIn({ errors: [{ extensions: { code: 'THROTTLED', retryAfter: 7 } }] }, {})?.retryAfter, 7);
    const cost = { requestedQueryCost: 112, throttleStatus: { currentlyAvailable: 12, restoreRate: 50 } };
    assert.equal(complaintIn({ errors: [{ extensions: { code: 'THROTTLED' } }], extensions: { cost } }, {})?.retryAfter, 2);
    assert.equal(complaintIn({ errors: [{ extensions: { code: 'THROTTLED' } }] }, {})?.retryAfter, undefined);
  });
});
