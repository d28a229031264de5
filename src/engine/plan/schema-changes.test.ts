import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CUSTOMERS, end, faultsOf, FIELDS, plan, table } from '../../../test/support/plan-fixture.ts';
import type { Field } from '../../connectors/contract.ts';
import type { PlanInput } from './plan.ts';

describe('when the source has changed since the last run', () => {
  const known: readonly Field[] = [
    ...FIELDS.slice(0, 3).map((field) => (field.name === 'amount' ? { ...field, type: 'int64' as const } : field)),
    ...FIELDS.slice(4),
    { name: 'gone', type: 'text', nullable: true },
  ];

  test('apply takes what is there and tells what is new, gone and different', () => {
    const { plan: found, notices } = plan({}, { known });
    assert.deepEqual(found?.sourceFields, FIELDS);
    assert.deepEqual(notices, [
      'The field "active" (boolean) is new at the source and is added at the target.',
      'The field "gone" is gone at the source; at the target it stays as it is.',
      'The field "amount" was int64 at the source and is decimal now.',
    ]);
  });

  test('apply lets a column of ours become wider', () => {
    const target = end('postgres', table({ id: 'int64', amount: 'int64' }));
    assert.deepEqual(faultsOf({}, { known, target }), []);
    assert.equal(faultsOf({}, { known, target, schemaChanges: 'ignore' }).filter((fault) => fault.includes('does not fit')).length, 1);
  });

  test('ignore leaves out what is new', () => {
    const { plan: found, notices } = plan({}, { known, schemaChanges: 'ignore' });
    assert.deepEqual(
      found?.read.fields,
      FIELDS.map(({ name }) => name).filter((name) => name !== 'active'),
    );
    assert.deepEqual(notices, []);
  });

  test('stop stops, and says what to do', () => {
    assert.deepEqual(faultsOf({}, { known, schemaChanges: 'stop' }), [
      'streams[2].source has other fields than at the last run: "active" (boolean) is new, "gone" is gone, "amount" was int64 and is decimal. To go on with them, save the synchronization again',
    ]);
    assert.deepEqual(faultsOf({}, { known: FIELDS, schemaChanges: 'stop' }), []);
    const target = end('sqlite', table({ id: 'int64' }));
    assert.deepEqual(faultsOf({}, { target, schemaChanges: 'stop' }), [], 'who saves it has agreed');
    const creates = (schemaChanges: PlanInput['schemaChanges']) =>
      plan({ fields: [{ from: 'id', to: 'id' }] }, { target, schemaChanges }).plan?.write.create;
    assert.deepEqual([creates('apply'), creates('stop'), creates('ignore')], [true, true, false]);
  });

  test('a field that is needed and gone is a fault, whatever the policy', () => {
    const source = end('postgres', { ...CUSTOMERS, fields: FIELDS.filter(({ name }) => name !== 'updated_at') });
    for (const schemaChanges of ['apply', 'ignore'] as const) {
      const faults = plan({ mode: 'incremental', cursor: 'updated_at', deletes: 'keep' }, { source, known: FIELDS, schemaChanges }).faults;
      assert.deepEqual(
        faults.map(({ field }) => field),
        ['streams[2].cursor'],
      );
    }
  });
});
