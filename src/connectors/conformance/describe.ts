import assert from 'node:assert/strict';
import { Batch } from '../batch.ts';
import { isCanonical } from '../canonical.ts';
import { demandEnforced } from '../../lib/enforced.ts';
import type { TSchema } from '../../lib/schema.ts';
import type { Field, WriteMode } from '../contract.ts';
import { assertFails, type Case, failure, keyOf, readAll } from './kit.ts';

/** What a connector says of itself and of its system, and that it refuses what it does not claim. */
export const describeCases: readonly Case[] = [
  {
    name: 'the manifest explains every member of the configuration',
    isOfManifest: true,
    run: async ({ harness }) => {
      const { config, abilities, description, title } = harness.connector.manifest;
      assert.ok(title && description);
      demandEnforced(config, 'The configuration');
      assert.deepEqual(unexplained(config, 'config'), [], 'members without title and description, or objects open to typing errors');
      assert.ok(
        abilities.transactional || abilities.write.length === 0 || abilities.notes,
        'notes say what is promised without transactions',
      );
      assert.ok(abilities.read || abilities.write.length > 0, 'it can do something');
    },
  },
  {
    name: 'check says what was reached',
    run: async (kit) => {
      const report = await (await kit.session()).check();
      assert.ok(report.message.length > 3);
      assert.ok(Array.isArray(report.warnings));
    },
  },
  {
    name: 'discovery tells fields and keys, and reading yields what it told',
    run: async (kit) => {
      const stream = await kit.stream(5);
      const session = await kit.session();
      const all = await session.discover();
      const found = all.find(({ name }) => name === stream.name);
      const names = all.map(({ name }) => name).join(', ');
      assert.ok(found, `"${stream.name}" is made and not discovered: ${names}. Where streams are fixed, the harness names one in "shape"`);
      const types = new Map(found.fields.map((field) => [field.name, field]));
      for (const field of stream.fields) {
        assert.equal(types.get(field.name)?.type, kit.typeOf(field), `the type of ${field.name}`);
        if (field.nullable) assert.equal(types.get(field.name)?.nullable, true, `${field.name} can be null`);
      }
      if (kit.harness.knowsKeys !== false) assert.deepEqual(found.key, stream.key);
      for (const name of [...found.key, ...found.cursors]) assert.ok(types.has(name), `${name} is a field`);
      if (!kit.abilities.read) return;
      const { rows } = await readAll(session, kit.reading({ ...stream, fields: found.fields }));
      assert.equal(rows.length, 5);
      for (const row of rows) {
        assert.equal(row.length, found.fields.length);
        for (const [at, value] of row.entries()) {
          const field: Field | undefined = found.fields[at];
          if (value === null) assert.ok(field?.nullable, `${field?.name} is null`);
          else assert.ok(isCanonical(field?.type ?? 'text', value), `${field?.name} (${field?.type}) is canonical: ${value.slice(0, 50)}`);
        }
      }
    },
  },
  {
    name: 'what is not claimed is refused',
    run: async (kit) => {
      const stream = await kit.stream(3);
      const session = await kit.session();
      for (const mode of ['append', 'upsert', 'mirror'] as const satisfies WriteMode[]) {
        if (kit.can(mode)) continue;
        await assertFails(() => session.write(kit.writing(stream, { mode })), 'config', /./, `writing with ${mode}`);
      }
      if (!kit.abilities.read) await assertFails(() => readAll(session, kit.reading(stream)), 'config', /./, 'reading');
      const [field = ''] = stream.key;
      if (kit.abilities.read && !kit.abilities.filters) {
        const filters = [{ field, op: '=' as const, value: '1' }];
        await assertFails(() => readAll(session, kit.reading(stream, { filters })), 'config', /./, 'a filter');
      }
      if (kit.abilities.read && !kit.abilities.incremental) {
        await assertFails(() => readAll(session, kit.reading(stream, { cursor: stream.cursor ?? field })), 'config', /./, 'a cursor');
      }
      if (kit.abilities.write.length > 0 && !kit.abilities.createsStreams) {
        const missing = { ...stream, name: kit.system.nameOf?.('no_such_stream') ?? 'no_such_stream' };
        await assertFails(() => session.write(kit.writing(missing, { create: true })), 'config', /./, 'making a stream');
      }
      if (kit.abilities.write.length > 0 && !kit.abilities.deletes) {
        const writer = await session.write(kit.writing(stream));
        const deletion = Batch.ofRows([keyOf(stream, stream.rows[0] ?? [])], { position: '{"p":1}', operation: 'delete' });
        await assertFails(() => writer.write(deletion), 'config', /./, 'a delete batch');
        await writer.close();
      }
    },
  },
  {
    name: 'a stream or field that is not there is named in the error',
    run: async (kit) => {
      const stream = await kit.stream(2);
      const session = await kit.session();
      const missing = kit.system.nameOf?.('no_such_stream') ?? 'no_such_stream';
      if (kit.abilities.read) {
        await assertFails(
          () => readAll(session, kit.reading({ ...stream, name: missing })),
          'config',
          'STREAM_MISSING',
          'a missing stream',
        );
        const fields = [...stream.fields.map(({ name }) => name), 'no_such_field'];
        const error = await failure(() => readAll(session, kit.reading(stream, { fields })), 'a missing field');
        assert.deepEqual([error.kind, error.code], ['config', 'FIELD_MISSING']);
        assert.match(error.message, /no_such_field/);
      }
      if (kit.abilities.write.length === 0) return;
      const open = (change: object) => session.write({ ...kit.writing(stream), create: false, ...change });
      await assertFails(() => open({ stream: missing }), 'config', 'STREAM_MISSING', 'writing to a missing stream');
      const more = [...stream.fields, { name: 'no_such_field', type: 'text', nullable: true }];
      // Files are written anew each time: only what keeps its streams can lack a field.
      if (kit.abilities.transactional)
        await assertFails(() => open({ fields: more }), 'config', 'FIELD_MISSING', 'writing a missing field');
    },
  },
  {
    name: 'a closed session fails instead of hanging, and closing twice is fine',
    run: async (kit) => {
      const session = await kit.session();
      await session.discover();
      await session.close();
      await session.close();
      await failure(() => session.discover(), 'discovery after close');
    },
  },
];

function unexplained(schema: TSchema, path: string): string[] {
  const { title } = schema as { title?: unknown };
  const isVariant = schema.const !== undefined || path === 'config';
  const own = isVariant || path.endsWith('[]') || path.includes('|') || (title && schema.description) ? [] : [path];
  const open = schema.properties && schema.additionalProperties !== false ? [`${path}: additionalProperties`] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    unexplained(member, `${path}.${name}`.replaceAll('|', '')),
  );
  const items = schema.items ? unexplained(schema.items, `${path}[]`) : [];
  const variants = (schema.oneOf ?? []).flatMap((variant, at) => unexplained(variant, `${path}|${at}`));
  return [...own, ...open, ...members, ...items, ...variants];
}
