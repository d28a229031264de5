import assert from 'node:assert/strict';
import { isCanonical, type Row } from '../canonical.ts';
import { Batch } from '../batch.ts';
import type { Field } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { assertFails, type Case, type Kit, readAll } from './kit.ts';
import { everyTypeFields, everyTypeRows, NASTY_NAMES } from './streams.ts';

const id: Field = { name: 'id', type: 'int64', nullable: false };
const text = (name: string): Field => ({ name, type: 'text', nullable: true });

/** Streams of every type, name and size, there and back. */
export const shapeCases: readonly Case[] = [
  {
    name: 'every type at its bounds comes back as it was',
    run: async (kit) => {
      if (!kit.isFree()) return refusesOthers(kit);
      const lacks = kit.harness.lacks?.bind(kit.harness) ?? (() => false);
      const { good, lacking } = everyTypeRows(lacks);
      const stream = await kit.create({ name: kit.name('types'), fields: everyTypeFields, key: ['id'], rows: good });
      if (kit.abilities.read) {
        const session = await kit.session();
        const { rows } = await readAll(session, kit.reading(stream));
        kit.assertSame(stream.fields, rows, good);
        const found = (await session.discover()).find(({ name }) => name === stream.name);
        for (const field of stream.fields) {
          const discovered = found?.fields.find(({ name }) => name === field.name);
          assert.equal(discovered?.type, kit.typeOf(field), `a field of type ${field.type}`);
          const at = stream.fields.indexOf(field);
          for (const row of rows) assertCanonical(discovered, row[at] ?? null);
        }
      }
      await kit.assertContents(stream, good);
      if (kit.abilities.write.length > 0 && lacking.length > 0) await refuses(kit, stream, lacking, good);
    },
  },
  {
    name: 'every type at its bounds is written as it is, from rows and from lines, whose memory is then used for other things',
    run: async (kit) => {
      if (!kit.isFree() || !kit.abilities.createsStreams || kit.abilities.write.length === 0) return;
      const { good } = everyTypeRows(kit.harness.lacks?.bind(kit.harness) ?? (() => false));
      for (const mode of kit.abilities.write) {
        const stream: NewStream = { name: kit.name(`types_${mode}`), fields: everyTypeFields, key: ['id'], rows: good };
        const half = good.length >> 1;
        const batches = [
          Batch.ofRows(good.slice(0, half), { position: '{"p":1}' }),
          Batch.ofLines(Batch.ofRows(good.slice(half), { position: '' }).lines, {
            position: '{"p":2}',
            recycle: (lines) => lines.fill('other things\n'),
          }),
        ];
        await kit.writeAll(await kit.session(), stream, batches, { mode, owner: `types ${mode}` });
        await kit.assertContents(stream, good, `written with ${mode}`);
      }
    },
  },
  {
    name: 'names with quotes, spaces, unicode and reserved words',
    run: async (kit) => {
      if (!kit.isFree()) return;
      const allows = (of: 'streams' | 'fields') => NASTY_NAMES.filter((name) => kit.allowsName(name, of));
      const fields = [id, ...allows('fields').map(text)];
      const rows: Row[] = [1, 2, 3].map((n) => [String(n), ...fields.slice(1).map((_, at) => `${n} of ${at}`)]);
      const one = await kit.create({ name: kit.name('names'), fields, key: ['id'], rows });
      const session = await kit.session();
      const streams = [one];
      for (const name of allows('streams')) {
        streams.push(
          await kit.create({ name: kit.system.nameOf?.(name) ?? name, fields: [id, text('value')], key: ['id'], rows: [['1', name]] }),
        );
      }
      const found = new Map((await session.discover()).map((stream) => [stream.name, stream]));
      for (const stream of streams) {
        const names = found.get(stream.name)?.fields.map(({ name }) => name);
        assert.deepEqual(
          names,
          stream.fields.map(({ name }) => name),
          `the fields of ${stream.name}`,
        );
        if (kit.abilities.read) kit.assertSame(stream.fields, (await readAll(session, kit.reading(stream))).rows, stream.rows, stream.name);
        await kit.assertContents(stream, stream.rows, stream.name);
      }
    },
  },
  {
    name: 'a key of several fields, with odd names and values',
    run: async (kit) => {
      if (!kit.isFree()) return;
      const fields: Field[] = [{ ...text('Region "x"'), nullable: false }, { ...id, name: 'no' }, text('value')];
      if (!kit.allowsName('Region "x"', 'fields')) fields[0] = { ...text('region'), nullable: false };
      const regions = ['', 'a', 'A', 'b\tc', 'ü', '😀'].filter((value) => !kit.harness.lacks?.('text', value));
      const rows = regions.flatMap((region) => Array.from({ length: 25 }, (_, n): Row => [region, String(n), '.'.repeat(80)]));
      const stream = await kit.create({ name: kit.name('compound'), fields, key: fields.slice(0, 2).map(({ name }) => name), rows });
      const { rows: found, batches } = await kit.read(stream);
      kit.assertSame(fields, found, rows);
      if (!kit.abilities.resumable) return;
      for (const [at, { position }] of batches.entries()) {
        const rest = batches.slice(at + 1).flatMap((batch) => batch.rows);
        kit.assertSame(fields, (await kit.read(stream, { after: position })).rows, rest, `resumed after batch ${at + 1}`);
      }
    },
  },
  {
    name: 'rows of ten megabytes',
    run: async (kit) => {
      if (!kit.isFree()) return;
      const size = kit.harness.limits?.valueBytes ?? 10 * 1024 * 1024;
      const rows: Row[] = [
        ['1', 'small'],
        ['2', `${'.'.repeat(59)}ü\t\\\n`.repeat(size / 64)],
        ['3', 'x'.repeat(size)],
        ['4', 'small'],
      ];
      const stream = await kit.create({ name: kit.name('large'), fields: [id, text('value')], key: ['id'], rows });
      const { rows: found, batches } = await kit.read(stream);
      kit.assertSame(stream.fields, found, rows);
      assert.ok(Math.max(...batches.map((batch) => batch.count)) < 4, 'large rows do not share one batch');
    },
  },
  {
    name: 'streams of very many fields',
    run: async (kit) => {
      if (!kit.isFree()) return;
      const count = kit.harness.limits?.columns ?? 1600;
      const fields = [id, ...Array.from({ length: count - 1 }, (_, at) => text(`f${at + 1}`))];
      const rows: Row[] = [1, 2, 3].map((n) =>
        fields.map((_, at) => (at === 0 ? String(n) : at % 7 === 0 ? null : at % 5 === 0 ? '' : String(at % 10))),
      );
      const stream = await kit.create({ name: kit.name('wide'), fields, key: ['id'], rows });
      const session = await kit.session();
      const found = (await session.discover()).find(({ name }) => name === stream.name);
      assert.equal(found?.fields.length, count);
      kit.assertSame(fields, (await readAll(session, kit.reading(stream))).rows, rows);
    },
  },
];

function assertCanonical(field: Field | undefined, value: string | null): void {
  if (value === null || !field) return;
  assert.ok(isCanonical(field.type, value), `a value of ${field.name} is not canonical for ${field.type}: ${value.slice(0, 60)}`);
}

/** Values that the system cannot hold come back as rejects, and nothing of them is written. */
async function refuses(kit: Kit, stream: NewStream, lacking: readonly Row[], good: readonly Row[]): Promise<void> {
  const mode = kit.can('append') ? 'append' : undefined;
  const writer = await kit.writer(stream, { owner: 'lacking', ...(mode && { mode }) });
  const { rejects } = await writer.write(Batch.ofRows(lacking, { position: '{"p":1}' }));
  assert.deepEqual(
    rejects.map(({ index }) => index).sort((a = 0, b = 0) => a - b),
    lacking.map((_, at) => at),
    `each of these is refused: ${lacking.map((row) => row.find((value, at) => at > 0 && value !== null)?.slice(0, 30)).join(' | ')}`,
  );
  await writer.finish();
  await writer.close();
  if (mode === 'append' && !kit.abilities.transactional) return;
  await kit.assertContents(stream, good, 'after values that the system cannot hold');
}

/** Where streams are given, others cannot be made. */
async function refusesOthers(kit: Kit): Promise<void> {
  if (kit.abilities.write.length === 0) return;
  const stream = { name: 'another_stream', fields: kit.shape.fields, key: kit.shape.key };
  const session = await kit.session();
  await assertFails(() => session.write(kit.writing(stream, { create: true })), 'config', /./, 'making a stream');
}
