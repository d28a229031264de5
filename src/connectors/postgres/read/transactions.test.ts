import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncrementalStart, TransactionSnapshot } from './positions.ts';
import { isNobodyRunning, isSeen, nextProgress } from './transactions.ts';

const seen: TransactionSnapshot = { xmax: '100', running: [] };
const start: IncrementalStart = { server: 'x/1', low: '5', seen, mark: { at: '10', virtual: ['3/1', '4/1'], prepared: [] } };

test('as long as one of the transactions runs, the next read starts as low as before', () => {
  const next = nextProgress(start, { virtual: ['4/1', '9/9'], prepared: [] }, { at: '20' }, seen);
  assert.deepEqual(next, { server: 'x/1', low: '5', seen, mark: { at: '10', virtual: ['4/1'], prepared: [] } });
});

test('when all of them are over, it starts where they could have written, and others are waited for', () => {
  const next = nextProgress(start, { virtual: ['9/9'], prepared: [] }, { at: '20' }, seen);
  assert.deepEqual(next, { server: 'x/1', low: '10', seen, mark: { at: '20', virtual: ['9/9'], prepared: [] } });
});

test('that nothing comes at a cursor any more is known of it from its mark on', () => {
  const marked = nextProgress(
    { ...start, edge: 'whole', mark: null },
    { virtual: ['9/9'], prepared: [] },
    { at: '20', edge: 'closed' },
    seen,
  );
  assert.deepEqual([marked.low, marked.edge, marked.mark?.edge], ['5', 'closed', 'closed'], 'what is above was given now');
  const reached = nextProgress(marked, { virtual: [], prepared: [] }, { at: '30' }, seen);
  assert.deepEqual([reached.low, reached.edge, reached.mark], ['20', 'closed', { at: '30', virtual: [], prepared: [] }]);
  assert.equal('edge' in nextProgress(reached, { virtual: [], prepared: [] }, { at: '30' }, seen), false);
});

test('that nobody runs is certain only where one would see them', () => {
  const nobody = { virtual: [], prepared: [] };
  assert.deepEqual(
    ['x/00000001', 'x/standby 1', null].map((server) => isNobodyRunning({ server }, nobody)),
    [true, false, false],
  );
  assert.equal(isNobodyRunning({ server: 'x/1' }, { virtual: ['3/1'], prepared: [] }), false);
  assert.equal(isNobodyRunning({ server: 'x/1' }, { virtual: [], prepared: ['77'] }), false);
});

test('a transaction that was prepared is gone from the running ones, and still waited for', () => {
  const prepared = nextProgress(start, { virtual: ['4/1'], prepared: ['77'] }, { at: '20' }, seen);
  assert.deepEqual(prepared.mark, { at: '10', virtual: ['4/1'], prepared: ['77'] });
  const alone = nextProgress(prepared, { virtual: [], prepared: ['77', '78'] }, { at: '30' }, seen);
  assert.equal(alone.low, '5');
  const still = nextProgress(
    { ...alone, mark: { at: '10', virtual: [], prepared: ['77'] } },
    { virtual: [], prepared: ['77', '79'] },
    { at: '40' },
    seen,
  );
  assert.deepEqual(still.mark, { at: '10', virtual: [], prepared: ['77'] }, 'those prepared later are not waited for');
  const over = nextProgress(still, { virtual: [], prepared: ['79'] }, { at: '50' }, seen);
  assert.deepEqual([over.low, over.mark], ['10', { at: '50', virtual: [], prepared: ['79'] }]);
});

test('before the 32 bits of an id are used up, ids are compared as they are; after, by the nearest', () => {
  assert.equal(
    isSeen(
      {
        xmax: '9',
        running: [
          ['4', '4'],
          ['6', '7'],
        ],
      },
      { xmax: '9', running: [] },
    ),
    '(xmin::text::bigint < 9 and not (xmin::text::bigint = 4 or xmin::text::bigint between 6 and 7))',
  );
  const now = 2n ** 32n * 3n + 5n;
  const condition = isSeen({ xmax: String(now), running: [] }, { xmax: String(now), running: [] });
  const [, formula = ''] = /^\((.*) < \d+\)$/.exec(condition) ?? [];
  // The formula of the statement, worked out here as PostgreSQL does it.
  const [, base = '', low = '', shift = '', wrap = ''] =
    /^\((\d+) \+ \(xmin::text::bigint - (\d+) \+ (\d+)\) % (\d+)\)$/.exec(formula) ?? [];
  const idOf = (xmin: bigint): bigint => BigInt(base) + ((xmin - BigInt(low) + BigInt(shift)) % BigInt(wrap));
  assert.equal(idOf(4n), now - 1n);
  assert.equal(idOf(2n ** 32n - 1n), now - 6n, 'the round before');
  assert.equal(idOf(5n), now);
});
