import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { Field } from '../contract.ts';
import { type NameRule, qualifiedName } from '../naming.ts';
import { isKept } from '../own-tables.ts';
import { OutsideError } from '../../outside/errors.ts';
import { STREAM_KINDS } from '../stream-kinds.ts';
import type { NewStream } from './harness.ts';
import { assertFails, batchesOf, type Case, type Kit, readAll } from './kit.ts';

const id: Field = { name: 'id', type: 'int64', nullable: false };
const text = (name: string): Field => ({ name, type: 'text', nullable: true });

/** What a manifest says of names and of the fields of tables, held against the system. */
export const namingCases: readonly Case[] = [
  {
    name: 'names as long as the manifest allows come back as they were',
    run: async (kit) => {
      if (!makesStreams(kit)) return;
      const longest = (rules: readonly NameRule[] = []): number => {
        const bounds = rules.flatMap(({ maxBytes, maxCharacters }) => maxBytes ?? maxCharacters ?? []);
        return Math.min(...bounds, 300);
      };
      const name = kit.named(`${Date.now()}`.padEnd(longest(kit.naming.streams), 'n'));
      const field = text('f'.padEnd(longest(kit.naming.fields), 'n'));
      const stream = await kit.create({ name, fields: [id, field], key: ['id'], rows: [['1', 'long']] });
      assert.deepEqual(await fieldsOf(kit, name), [id.name, field.name]);
      await kit.assertContents(stream, stream.rows);
    },
  },
  {
    name: 'names that the manifest rules out cannot be made',
    run: async (kit) => {
      if (!makesStreams(kit)) return;
      const { schemas, streams = [], fields = [] } = kit.naming;
      for (const name of ruledOut(streams)) assert.equal(await isMade(kit, kit.named(name), 'value'), false, JSON.stringify(name));
      for (const name of ruledOut(schemas?.rules ?? []))
        assert.equal(await isMade(kit, qualifiedName(name, 'in_schema'), 'value'), false, JSON.stringify(name));
      for (const name of ruledOut(fields)) assert.equal(await isMade(kit, kit.name('ruled_out'), name), false, JSON.stringify(name));
    },
  },
  {
    name: 'upper and lower case are one name or two, as the manifest says',
    run: async (kit) => {
      if (!makesStreams(kit)) return;
      const name = kit.name('cases');
      if (!kit.naming.foldsCase) {
        const both = [id, text('value'), text('VALUE')];
        return kit.assertContents(await kit.create({ name, fields: both, key: ['id'], rows: [['1', 'low', 'high']] }), [
          ['1', 'low', 'high'],
        ]);
      }
      const stream = await kit.create({ name, fields: [id, text('value')], key: ['id'], rows: [['1', 'low']] });
      assert.equal(await isMade(kit, kit.name('both_cases'), 'VALUE', text('value')), false, 'two fields of one name');
      await put(kit, { ...stream, fields: [id, text('VALUE')] }, [['2', 'high']]);
      assert.deepEqual(await fieldsOf(kit, name), ['id', 'value'], 'no field is added');
      await kit.assertContents(stream, [
        ['1', 'low'],
        ['2', 'high'],
      ]);
    },
  },
  {
    name: 'a field of whole numbers becomes one of decimals, or does not, as the manifest says',
    run: async (kit) => {
      if (!makesStreams(kit)) return;
      const number: Field = { name: 'number', type: 'int64', nullable: true };
      const stream = await kit.create({ name: kit.name('widened'), fields: [id, number], key: ['id'], rows: [['1', '7']] });
      const found = await (await kit.session()).discover([stream.name]);
      if (!found.some(({ name, kind }) => name === stream.name && STREAM_KINDS[kind].bindsTypes)) return;
      const wider: NewStream = { ...stream, fields: [id, { ...number, type: 'decimal' }] };
      const writing = put(kit, wider, [['2', '7.5']]);
      if (kit.abilities.widens) await writing;
      else await writing.catch((error: unknown) => assert.ok(error instanceof OutsideError || error instanceof assert.AssertionError));
      const type = (await (await kit.session()).discover()).find(({ name }) => name === stream.name)?.fields[1]?.type;
      if (!kit.abilities.widens) assert.notEqual(type, 'decimal');
      else assert.equal(type, 'decimal');
      if (kit.abilities.widens)
        await kit.assertContents(wider, [
          ['1', '7'],
          ['2', '7.5'],
        ]);
    },
  },
  {
    name: 'what Syncline keeps for itself is no stream',
    run: async (kit) => {
      if (!kit.abilities.keepsTables) return;
      const stream = await kit.stream(3);
      const session = await kit.session();
      const name = kit.named('_syncline_checkpoints');
      const kept = { ...stream, name };
      assert.deepEqual(
        (await session.discover()).filter((found) => found.name === name || isKept(found.name)),
        [],
      );
      await assertFails(() => session.write(kit.writing(kept)), 'config', 'OWN_TABLE', 'writing to it');
      await assertFails(() => readAll(session, kit.reading(kept)), 'config', 'OWN_TABLE', 'reading it');
    },
  },
];

function makesStreams(kit: Kit): boolean {
  return kit.isFree() && kit.abilities.createsStreams;
}

/** Names that break the rules of the system. */
function ruledOut(rules: readonly NameRule[]): string[] {
  return rules.flatMap(({ maxBytes, maxCharacters, example }) => {
    const most = maxBytes ?? maxCharacters;
    return most === undefined ? (example ?? []) : 'n'.repeat(most + 1);
  });
}

/** Whether the system has a stream of this name, with a field of this name, after a try to make it. */
async function isMade(kit: Kit, name: string, field: string, ...others: readonly Field[]): Promise<boolean> {
  const fields = [id, text(field), ...others];
  const stream: NewStream = { name, fields, key: ['id'], rows: [['1', 'x', ...others.map(() => 'y')]] };
  try {
    await put(kit, stream, stream.rows);
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
  }
  const found = await fieldsOf(kit, name);
  return found !== undefined && fields.every((one) => found.includes(one.name));
}

async function fieldsOf(kit: Kit, stream: string): Promise<string[] | undefined> {
  const found = (await (await kit.session()).discover()).find(({ name }) => name === stream);
  return found?.fields.map(({ name }) => name);
}

async function put(kit: Kit, stream: NewStream, rows: readonly Row[]): Promise<void> {
  const mode = kit.can('upsert') ? 'upsert' : 'append';
  await kit.writeAll(await kit.session(), stream, batchesOf(rows), { mode, owner: `writer of ${stream.name}`, create: true });
}
