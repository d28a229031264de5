// The suite itself is tested: each of these breaks the fake in one way, and the suite has to notice.
import { describe } from 'node:test';
import { Batch } from './batch.ts';
import type { Row } from './canonical.ts';
import type { ReadRequest, Writer, WriteRequest } from './contract.ts';
import type { Session } from './session.ts';
import { casesFor } from './conformance.ts';
import { OutsideError } from '../outside/errors.ts';
import { harness } from './fake/harness.ts';
import { type Memory, memoryOf } from './fake/memory.ts';
import { testNoticed } from './fake/noticed.ts';

interface Mutant {
  name: string;
  read?: (batches: AsyncIterable<Batch>, request: ReadRequest, session: Session) => AsyncIterable<Batch>;
  reading?: (request: ReadRequest) => ReadRequest;
  writing?: (request: WriteRequest, memory: Memory) => WriteRequest;
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
  { name: 'fences nobody but its own owner', writing: omit('fences') },
  {
    name: 'accepts a stale token',
    writing: (request) => ({ ...request, token: 2n ** 62n }),
  },
  {
    name: 'forgets the checkpoint',
    writer: (writer, { owner }, memory) => ({
      write: async (batch, settle) => {
        const result = await writer.write(batch, settle);
        const checkpoint = memory.checkpoints.get(owner);
        if (checkpoint) checkpoint.position = undefined;
        return result;
      },
    }),
  },
  {
    name: 'keeps the position before the rows',
    writer: (writer, { owner }, memory) => ({
      write: async (batch, settle) => {
        const checkpoint = memory.checkpoints.get(owner);
        if (checkpoint) checkpoint.position = batch.position;
        return writer.write(batch, settle);
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
      write: (batch, settle) =>
        writer.write(Batch.ofRows(batch.rows.toReversed(), { position: batch.position, operation: batch.operation }), settle),
    }),
  },
  {
    name: 'drops bad rows in silence',
    writer: (writer) => ({ write: async (batch, settle) => ({ ...(await writer.write(batch, settle)), rejects: [] }) }),
  },
  {
    name: 'fails for a bad row',
    writer: (writer) => ({
      write: async (batch, settle) => {
        const result = await writer.write(batch, settle);
        if (result.rejects.length > 0) throw new Error('a bad row');
        return result;
      },
    }),
  },
  {
    name: 'writes the last row of a batch twice',
    writer: (writer, { mode }) => ({
      write: (batch, settle) => {
        const more = mode === 'append' ? batch.rows.slice(-1) : [];
        return writer.write(Batch.ofRows([...batch.rows, ...more], { position: batch.position, operation: batch.operation }), settle);
      },
    }),
  },
  { name: 'does not ask before it mirrors', writer: (writer) => ({ finish: (_approve, settle) => writer.finish(undefined, settle) }) },
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
    name: 'takes rows that could not be used for gone',
    writer: (writer) => ({ write: (batch, settle) => writer.write(batch.sparing([]), settle) }),
  },
  {
    name: 'takes rows that it has refused itself for gone',
    writer: (writer, { owner }, memory) => ({
      write: async (batch, settle) => {
        const before = new Set(memory.checkpoints.get(owner)?.spared);
        const result = await writer.write(batch, settle);
        const spared = memory.checkpoints.get(owner)?.spared;
        if (batch.spared.length === 0) for (const key of spared ?? []) if (!before.has(key)) spared?.delete(key);
        return result;
      },
    }),
  },
  {
    name: 'forgets beyond a crash which rows could not be used',
    writer: (writer, { owner }, memory) => ({
      close: async () => {
        memory.checkpoints.get(owner)?.spared.clear();
        await writer.close();
      },
    }),
  },
  {
    name: 'leaves out a good row because another of its key could not be used',
    writer: (writer, { owner }, memory) => ({
      finish: (approve, settle) => {
        const { stage, spared } = memory.checkpoints.get(owner) ?? {};
        for (const key of spared ?? []) stage?.delete(key);
        return writer.finish(approve, settle);
      },
    }),
  },
  {
    name: 'counts unchanged rows as updated',
    writer: (writer) => ({
      write: async (batch, settle) => {
        const result = await writer.write(batch, settle);
        return { ...result, updated: result.updated + result.unchanged, unchanged: 0 };
      },
    }),
  },
  {
    name: 'ignores delete batches',
    writer: (writer) => ({
      write: (batch, settle) => writer.write(batch.operation === 'delete' ? Batch.ofRows([], { position: batch.position }) : batch, settle),
    }),
  },
  {
    name: 'swallows a lost connection',
    writer: (writer) => ({
      write: (batch, settle) =>
        writer.write(batch, settle).catch(() => ({ inserted: batch.count, updated: 0, unchanged: 0, deleted: 0, rejects: [] })),
    }),
  },
  {
    name: 'keeps no note',
    writer: (writer) => ({ write: (batch, settle) => writer.write(batch, settle && ((result) => void settle(result) as never)) }),
  },
  {
    name: 'forgets the note when a mirror is finished',
    writer: (writer, { mode, owner }, memory) => ({
      finish: async (approve, settle) => {
        const result = await writer.finish(approve, settle);
        const checkpoint = memory.checkpoints.get(owner);
        if (mode === 'mirror' && checkpoint) checkpoint.note = undefined;
        return result;
      },
    }),
  },
  { name: 'goes on though it is told to begin anew', writing: omit('resume') },
  {
    name: 'begins anew with what an earlier mirror has collected',
    writing: (request, memory) => {
      const known = memory.checkpoints.get(request.owner);
      const resume = (note: string | undefined): boolean => {
        if (request.resume?.(note) === false && known) [known.position, known.note] = [undefined, undefined];
        return true;
      };
      return { ...request, resume };
    },
  },
  {
    name: 'tells the outcome when all is done',
    writer: (writer, { owner }, memory) => ({
      write: async (batch, settle) => {
        const result = await writer.write(batch);
        const note = await settle?.(result);
        const checkpoint = memory.checkpoints.get(owner);
        if (checkpoint && note !== undefined) checkpoint.note = note;
        return result;
      },
    }),
  },
  {
    name: 'tells the outcome without the rejects',
    writer: (writer) => ({
      write: (batch, settle) => writer.write(batch, settle && ((result) => settle({ ...result, rejects: [] }))),
    }),
  },
  {
    name: 'tells the outcome of a mirror that was refused',
    writer: (writer) => ({
      finish: async (approve, settle) => {
        const result = await writer.finish(approve, settle);
        if (result.refused) await settle?.(result);
        return result;
      },
    }),
  },
  {
    name: 'forgets a mirror that was refused',
    writer: (writer, { owner }, memory) => ({
      finish: async (approve, settle) => {
        const result = await writer.finish(approve, settle);
        if (result.refused) memory.checkpoints.get(owner)?.stage?.clear();
        return result;
      },
    }),
  },
  {
    name: 'wraps what goes wrong when the outcome is told',
    writer: (writer) => ({
      write: (batch, settle) =>
        writer.write(batch, settle).catch((error: unknown) => {
          throw error instanceof OutsideError ? error : new Error('It failed.', { cause: error });
        }),
    }),
  },
];

describe('the conformance suite notices a connector that', () => {
  for (const mutant of mutants) testNoticed(mutant.name, opened(mutant), casesFor(harness));
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
        const request = mutant.writing?.(given, memory) ?? given;
        const writer = await session.write(request);
        return { ...writer, ...mutant.writer?.(writer, request, memory) };
      },
      ...mutant.session?.(session),
    };
  };
}
