import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import { loadConnector } from './load.ts';
import { ruleFault } from './naming.ts';
import { findManifest, manifests, typesThat } from './registry.ts';

const FOLDERS = globSync('*/manifest.ts', { cwd: import.meta.dirname }).map((file) => dirname(file));
const TYPES = typesThat(() => true);

test('every folder with a manifest is a connector, and every connector a folder of its name', async () => {
  assert.deepEqual(TYPES.toSorted(), FOLDERS.toSorted(), 'each has an import and an entry in registry.ts');
  for (const type of TYPES) assert.equal((await loadConnector(type)).manifest, findManifest(type));
  assert.ok(manifests.every(({ type }) => TYPES.includes(type)));
});

test('the table of the documents says what the manifests say', () => {
  const text = readFileSync(new URL('../../docs/connectors.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| [`'));
  const told = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    told.map(([, name]) => /^\[`(\w+)`\]/.exec(name ?? '')?.[1]),
    manifests.map(({ type }) => type),
    'docs/connectors.md has a row for each entry of registry.ts, in the same order',
  );
  for (const [at, { type, abilities }] of manifests.entries()) {
    const [, , , reads = '', writes = '', live = ''] = told[at] ?? [];
    assert.equal(reads !== '–', abilities.read, `${type}: its column "Reads" is – where it cannot read`);
    assert.equal(writes !== '–', abilities.write.length > 0, `${type}: its column "Writes" is – where it cannot write`);
    assert.equal(writes.includes('exactly once'), abilities.transactional, `${type}: "exactly once" is said where it is transactional`);
    const ends = [...(abilities.log ? ['source'] : []), ...(abilities.applies ? ['target'] : [])];
    assert.equal(
      live,
      ends.join(' and ') || '–',
      `${type}: its column "Live" is "source" by its log, "target" where it applies changes, and else –`,
    );
  }
});

for (const type of TYPES) {
  describe(`what ${type} says of itself`, () => {
    const { abilities, naming, config, shopRows, hookMember } = findManifest(type) ?? assert.fail();

    test('its rules of names are rules', () => {
      for (const rule of [...(naming.streams ?? []), ...(naming.fields ?? []), ...(naming.schemas?.rules ?? [])]) {
        const kinds = [rule.maxBytes, rule.maxCharacters, rule.pattern].filter((kind) => kind !== undefined);
        assert.equal(kinds.length, 1, rule.why);
        if (rule.example !== undefined) assert.ok(ruleFault(rule.example, [rule]), rule.why);
        assert.equal(ruleFault('plain', [rule]), undefined, rule.why);
      }
    });

    test('what it names of its configuration is there', () => {
      for (const member of [naming.schemas?.member, naming.closed?.member])
        assert.ok(member === undefined || config.properties?.[member], `${type} has no member ${member}`);
      for (const value of naming.closed?.values ?? []) assert.equal(value, value.toLowerCase());
    });

    test('a read of it goes on from the position of its last batch', () => {
      assert.equal(abilities.resumable, true, 'a run that is taken up would read rows twice');
    });

    test('it is told of changes by the shop and by hooks alone, so far', () => {
      if (abilities.tellsChanges) assert.ok(shopRows ?? hookMember, 'nobody would start its synchronizations');
    });
  });
}
