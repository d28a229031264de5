// The suite itself is tested: each of these breaks the fake in one way, and the suite has to notice.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch } from './batch.ts';
import type { Row } from './canonical.ts';
import type { ReadRequest, Session, Writer, WriteRequest } from './contract.ts';
import { casesFor, runCase } from './conformance.ts';
import { harness } from './fake/harness.ts';
import { type Memory, memoryOf } from './fake/memory.ts';

interface Mutant {
  name: string;
  read?: (batches: AsyncIterable<Batch>, request: ReadRequest, session: Session) => AsyncIterable<Batch>;
  reading?: (request: ReadRequest) => ReadRequest;
  writing?: (request: WriteRequest) => WriteRequest;
  writer?: (writer: Writer, request: WriteRequest, memory: Memory) => Partial<Writer>;
  session?: (session: Session) => Partial<Session>;
}

/** Every value of every row by another. */
function values(change: (value: string | null) => string | null): NonNullable<Mutant['read']> {
  return rows((row) => row.map(change));
}

/** The request without a member. */
function omit(name: string) {
  return <Request extends object>(request: Request): Request =>
    Object.fromEntries(Object.entries(request).filter(([member]) => member !== name)) as Request;
}

function rows(change: (row: Row) => Row): NonNullable<Mutant['read']> {
  return async function* (batches) {
    for await (const batch of batches) yield Batch.ofRows(batch.rows.map(change), { position: batch.position });
  };
}

const mutants: readonly Mutant[] = [
  {
    name: 'loses a row on resume',
    read: async function* (batches, { after }) {
      let isFirst = after !== undefined;
      for await (const batch of batches) {
        yield isFirst ? Batch.ofRows(batch.rows.slice(1), { position: batch.position }) : batch;
        isFirst = false;
      }
    },
  },
  {
    name: 'doubles a row on resume',
    read: async function* (batches, { after }) {
      let isFirst = after !== undefined;
      for await (const batch of batches) {
        yield isFirst ? Batch.ofRows([...batch.rows.slice(0, 1), ...batch.rows], { position: batch.position }) : batch;
        isFirst = false;
      }
    },
  },
  { name: 'begins anew instead of resuming', reading: omit('after') },
  {
    name: 'gives the position of the batch before',
    read: async function* (batches) {
      let before: string | undefined;
      for await (const batch of batches) {
        yield Batch.ofRows(batch.rows, { position: before ?? batch.position });
        before = batch.position;
      }
    },
  },
  { name: 'reads the empty text as null', read: values((value) => (value === '' ? null : value)) },
  { name: 'reads null as the empty text', read: values((value) => value ?? '') },
  {
    name: 'reads numbers through doubles',
    read: values((value) => (value !== null && /^-?\d{16,}$/.test(value) ? BigInt(Number(value)).toString() : value)),
  },
  { name: 'cuts microseconds', read: values((value) => value?.replace(/(:\d\d\.\d{3})\d+/, '$1') ?? null) },
  { name: 'trims text', read: values((value) => value?.trim() ?? null) },
  { name: 'normalizes unicode', read: values((value) => value?.normalize('NFC') ?? null) },
  { name: 'mixes up the order of the fields', read: rows((row) => row.toReversed()) },
  { name: 'ignores filters', reading: omit('filters') },
  { name: 'ignores a limit', reading: omit('limit') },
  { name: 'ignores the size of batches', reading: omit('batchBytes') },
  { name: 'ignores the signal of a read', reading: omit('signal') },
  { name: 'reads everything instead of by cursor', reading: omit('cursor') },
  {
    name: 'goes on behind the cursor of the last row, past rows with the same',
    read: async function* (batches, { after, cursor, fields }) {
      const last = cursor !== undefined && after !== undefined ? (JSON.parse(after) as { at: string[] }).at[0] : undefined;
      const at = fields.indexOf(cursor ?? '');
      for await (const batch of batches) {
        const { position } = batch;
        yield Batch.ofRows(
          batch.rows.filter((row) => last === undefined || row[at] !== last),
          { position },
        );
      }
    },
  },
  {
    name: 'does not let go when the reader breaks off',
    read: (batches) => {
      const iterator = batches[Symbol.asyncIterator]();
      return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
    },
  },
  {
    name: 'discovers wrong types',
    session: (session) => ({
      discover: async () =>
        (await session.discover()).map((stream) => ({ ...stream, fields: stream.fields.map((field) => ({ ...field, type: 'text' })) })),
    }),
  },
  {
    name: 'accepts a stale token',
    writing: (request) => ({ ...request, token: 2n ** 62n }),
  },
  {
    name: 'forgets the checkpoint',
    writer: (writer, { owner }, memory) => ({
      write: async (batch) => {
        const result = await writer.write(batch);
        const checkpoint = memory.checkpoints.get(owner);
        if (checkpoint) checkpoint.position = undefined;
        return result;
      },
    }),
  },
  {
    name: 'keeps the position before the rows',
    writer: (writer, { owner }, memory) => ({
      write: async (batch) => {
        const checkpoint = memory.checkpoints.get(owner);
        if (checkpoint) checkpoint.position = batch.position;
        return writer.write(batch);
      },
    }),
  },
  { name: 'appends when it should upsert', writing: (request) => ({ ...request, mode: request.mode === 'mirror' ? 'mirror' : 'append' }) },
  {
    name: 'upserts when it should mirror',
    writing: (request) => ({ ...request, mode: request.mode === 'mirror' ? 'upsert' : request.mode }),
  },
  { name: 'deletes when it should keep or mark', writing: (request) => ({ ...request, deletes: 'delete' }) },
  { name: 'never deletes', writing: (request) => ({ ...request, deletes: 'keep' }) },
  { name: 'creates what it was not told to create', writing: (request) => ({ ...request, create: true }) },
  { name: 'ignores the signal of a writer', writing: omit('signal') },
  {
    name: 'lets the first of equal keys win',
    writer: (writer) => ({
      write: (batch) => writer.write(Batch.ofRows(batch.rows.toReversed(), { position: batch.position, operation: batch.operation })),
    }),
  },
  {
    name: 'drops bad rows in silence',
    writer: (writer) => ({ write: async (batch) => ({ ...(await writer.write(batch)), rejects: [] }) }),
  },
  {
    name: 'fails for a bad row',
    writer: (writer) => ({
      write: async (batch) => {
        const result = await writer.write(batch);
        if (result.rejects.length > 0) throw new Error('a bad row');
        return result;
      },
    }),
  },
  {
    name: 'writes the last row of a batch twice',
    writer: (writer, { mode }) => ({
      write: (batch) => {
        const more = mode === 'append' ? batch.rows.slice(-1) : [];
        return writer.write(Batch.ofRows([...batch.rows, ...more], { position: batch.position, operation: batch.operation }));
      },
    }),
  },
  { name: 'does not ask before it mirrors', writer: (writer) => ({ finish: () => writer.finish() }) },
  {
    name: 'forgets what a mirror has collected',
    writer: (writer, { owner }, memory) => ({
      close: async () => {
        memory.checkpoints.get(owner)?.stage?.clear();
        await writer.close();
      },
    }),
  },
  {
    name: 'counts unchanged rows as updated',
    writer: (writer) => ({
      write: async (batch) => {
        const result = await writer.write(batch);
        return { ...result, updated: result.updated + result.unchanged, unchanged: 0 };
      },
    }),
  },
  {
    name: 'ignores delete batches',
    writer: (writer) => ({
      write: (batch) => writer.write(batch.operation === 'delete' ? Batch.ofRows([], { position: batch.position }) : batch),
    }),
  },
  {
    name: 'swallows a lost connection',
    writer: (writer) => ({
      write: (batch) => writer.write(batch).catch(() => ({ inserted: batch.count, updated: 0, unchanged: 0, deleted: 0, rejects: [] })),
    }),
  },
];

describe('the conformance suite notices a connector that', () => {
  for (const mutant of mutants) {
    test(mutant.name, async (t) => {
      const broken = { ...harness, connector: { ...harness.connector, open: opened(mutant) } };
      const system = await broken.start();
      for (const one of casesFor(broken)) {
        const isHeld = await runCase(one, broken, system).then(
          () => true,
          () => false,
        );
        if (!isHeld) return t.diagnostic(`noticed by: ${one.name}`);
      }
      return assert.fail('nothing was noticed');
    });
  }
});

function opened(mutant: Mutant): typeof harness.connector.open {
  return async (config, context) => {
    const session = await harness.connector.open(config, context);
    const memory = memoryOf(config);
    return {
      ...session,
      read: (request) => {
        const batches = session.read(mutant.reading?.(request) ?? request);
        return mutant.read?.(batches, request, session) ?? batches;
      },
      write: async (given) => {
        const request = mutant.writing?.(given) ?? given;
        const writer = await session.write(request);
        return { ...writer, ...mutant.writer?.(writer, request, memory) };
      },
      ...mutant.session?.(session),
    };
  };
}
