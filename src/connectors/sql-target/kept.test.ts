import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { afresh, forgotten, intoTable, type Kept, mirrorFrom } from './kept.ts';
import { straightLoad } from './straight-load.ts';

const load = straightLoad({ mirror: 't', columns: [['id', 'int']] });
const otherLoad = straightLoad({ mirror: 't', columns: [['id', 'text']] });
const STAGED = 'create table stage (id int)';
const INTO = '{"into":"t"}';

const anyKept: fc.Arbitrary<Kept> = fc.record(
  {
    position: fc.constantFrom(undefined, 'here'),
    note: fc.constantFrom(undefined, 'noted'),
    state: fc.constantFrom(undefined, INTO, STAGED, load.stateWith(0), load.stateWith(12), otherLoad.stateWith(12), 'of a later version'),
  },
  { noNullPrototype: true },
);
const anyFacts = fc.record({ isEmpty: fc.boolean(), hasStage: fc.boolean() });

describe('what is kept of an owner', () => {
  test('is spelled as every version before has spelled it', () => {
    assert.equal(load.stateWith(12), 'straight {"mirror":"t","columns":[["id","int"]]} 12');
    assert.equal(intoTable({ position: undefined, note: undefined, state: undefined }, 't').state, INTO);
  });

  test('counts for nothing when the work begins anew; the note of what was finished stays', () => {
    const state = STAGED;
    assert.deepEqual(afresh({ position: undefined, note: 'noted', state }), { position: undefined, note: 'noted', state });
    assert.deepEqual(afresh({ position: 'here', note: 'noted', state }), { position: undefined, note: undefined, state });
    assert.deepEqual(forgotten({ position: undefined, note: 'noted', state }), { position: undefined, note: undefined, state });
    fc.assert(fc.property(anyKept, (kept) => assert.deepEqual(afresh(afresh(kept)), afresh(kept))));
  });

  test('goes on in the table where it was of the table, or of a version that said nothing', () => {
    fc.assert(
      fc.property(anyKept, (found) => {
        const isOfTable = found.state === undefined || found.state === INTO;
        assert.deepEqual(intoTable(found, 't'), { ...(isOfTable ? found : afresh(found)), state: INTO });
        assert.equal(intoTable(found, 't') === found, found.state === INTO, 'there is nothing to write where nothing changes');
      }),
    );
  });

  test('goes on with a mirror where its rows are still there, and nowhere else', () => {
    fc.assert(
      fc.property(anyKept, anyFacts, (found, { isEmpty, hasStage }) => {
        const { way, kept } = mirrorFrom(found, { load, staged: STAGED, isEmpty, hasStage });
        const isStaged = found.state === STAGED && hasStage;
        const isLoaded = load.loadedIn(found.state) !== undefined && !isEmpty;
        if (found.position !== undefined && (isStaged || isLoaded)) {
          assert.equal(kept, found);
          assert.equal(way, isStaged ? 'stage' : 'load');
        } else {
          assert.deepEqual(kept, { ...afresh(found), state: isEmpty ? load.stateWith(0) : STAGED });
          assert.equal(way, isEmpty ? 'load' : 'stage');
        }
      }),
    );
  });

  test('what was loaded with other columns, or by other work, is not gone on with', () => {
    assert.equal(load.loadedIn(load.stateWith(7)), 7);
    for (const state of [undefined, INTO, STAGED, otherLoad.stateWith(7)]) assert.equal(load.loadedIn(state), undefined);
  });
});
