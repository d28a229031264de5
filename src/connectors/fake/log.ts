import type { Position } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Change, ChangeLog, ChangeSet, Following, LogRequest, LogStream } from '../changes.ts';
import { BATCH_BYTES, type Field } from '../contract.ts';
import { aborted, fenced, OutsideError } from '../../outside/errors.ts';
import type { Script } from './faults.ts';
import type { FakeChange, FakeTransaction } from './log-memory.ts';
import { identityOfKey, type Memory } from './memory.ts';

/** The log of a memory. A position is the number of a transaction. */
export function logOf(memory: Memory, script: Script, closed: AbortSignal): ChangeLog {
  const { log } = memory;
  return {
    check: async () => {
      await script.at('check');
      return [];
    },
    hold: async ({ owner, streams, signal }) => {
      await script.at('hold', { signal });
      for (const stream of streams) demandStream(memory, stream);
      log.hold(
        owner,
        streams.map(({ stream }) => stream),
      );
      return positionOf(log.last);
    },
    change: async ({ owner, streams, signal }) => {
      await script.at('hold', { signal });
      const { since } = log.held(owner);
      for (const stream of streams) demandStream(memory, { ...stream, fields: [] });
      for (const { stream } of streams) if (!since.has(stream)) since.set(stream, log.last);
      for (const name of since.keys()) if (!streams.some(({ stream }) => stream === name)) since.delete(name);
    },
    end: async () => {
      await script.at('check');
      return positionOf(log.last);
    },
    follow: (request, after, milestones = []) => follow({ memory, script, request, closed }, numberIn(after), milestones.map(numberIn)),
    kept: async (owner) => {
      await script.at('check');
      const changes = log.behind(log.holds.get(owner)?.safe ?? log.last).flatMap((transaction) => transaction.changes);
      return { bytes: changes.reduce((sum, { row }) => sum + sizeOf(row), 0), bytesPerSecond: null };
    },
    release: async (owner) => log.release(owner),
    isBefore: (one, other) => numberIn(one) < numberIn(other),
  };
}

interface FollowedMemory {
  readonly memory: Memory;
  readonly script: Script;
  readonly request: LogRequest;
  readonly closed: AbortSignal;
}

function follow({ memory, script, request, closed }: FollowedMemory, after: number, milestones: readonly number[]): Following {
  const { log } = memory;
  const { owner, streams } = request;
  const told = new Map<number, readonly Field[]>();

  async function* sets(): AsyncGenerator<ChangeSet> {
    const me = {};
    const signal = AbortSignal.any([closed, ...(request.signal ? [request.signal] : [])]);
    const wake = (): void => log.wake();
    signal.addEventListener('abort', wake);
    let given = after;
    memory.open++;
    try {
      log.followers.set(owner, me);
      log.wake();
      for (let batches = 0; ; ) {
        if (signal.aborted) throw aborted();
        await script.at('follow', { batches, signal });
        if (log.followers.get(owner) !== me) throw fenced();
        const { safe, since } = log.held(owner);
        if (given < safe) throw new OutsideError('gap', 'LOG_GONE', 'The fake has forgotten what lies behind this position.');
        const next = nextMilestone(given);
        const here = log.behind(given).filter(({ number }) => number <= next);
        for (const set of setsOf(here, (change, number) => (since.get(change.table) ?? number) < number)) {
          yield set;
          given = set.position === undefined ? given : numberIn(set.position);
          batches++;
        }
        if (here.length === 0) await log.news();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      memory.open--;
    }
  }

  /** What is told next ends here at the latest. */
  const nextMilestone = (number: number): number => Math.min(...milestones.filter((milestone) => milestone > number));

  function* setsOf(
    transactions: readonly FakeTransaction[],
    isTold: (change: FakeChange, number: number) => boolean,
  ): Generator<ChangeSet> {
    let changes: Change[] = [];
    let bytes = 0;
    for (const [at, { number, at: committedAt, changes: all }] of transactions.entries()) {
      for (const change of all.filter((one) => isTold(one, number))) {
        changes.push(...changesOf(change));
        bytes += sizeOf(change.row);
        if (bytes < BATCH_BYTES) continue;
        yield { changes, bytes };
        [changes, bytes] = [[], 0];
      }
      if (bytes < BATCH_BYTES / 2 && at < transactions.length - 1 && !isLarge(transactions[at + 1])) continue;
      yield { changes, bytes, position: positionOf(number), committedAt };
      [changes, bytes] = [[], 0];
    }
  }

  /** The change, and before it the fields of its stream when they are not those that were told. */
  function changesOf({ op, table, fields, row, before }: FakeChange): Change[] {
    const stream = streams.findIndex((one) => one.stream === table);
    const asked = streams[stream];
    if (!asked) return [];
    const { key } = asked;
    const known = told.get(stream);
    const wanted = wantedFields(asked, fields);
    const isNew = known?.length !== wanted.length || known.some((field, at) => field !== wanted[at]);
    told.set(stream, wanted);
    const pick = (names: readonly string[], from: Row): Row =>
      names.map((name) => from[fields.findIndex((field) => field.name === name)] ?? null);
    const picked = pick(
      wanted.map(({ name }) => name),
      row,
    );
    const change = ((): Change => {
      if (op === 'truncate') return { op, stream };
      if (op === 'delete') return { op, stream, key: pick(key, row) };
      if (op === 'insert') return { op, stream, row: picked };
      const [old, now] = [pick(key, before ?? row), pick(key, row)];
      return { op, stream, row: picked, ...(old.some((value, at) => value !== now[at]) && { key: old }) };
    })();
    return isNew ? [{ op: 'fields', stream, fields: wanted, key }, change] : [change];
  }

  return {
    [Symbol.asyncIterator]: sets,
    acknowledge: (position) => log.acknowledge(owner, numberIn(position)),
    lookUp: async (stream, keys) => {
      await script.at('read', { signal: request.signal });
      const asked = streams[stream] as LogStream;
      const table = memory.table(asked.stream);
      const fields = told.get(stream) ?? wantedFields(asked, table.fields);
      const at = fields.map(({ name }) => table.fields.findIndex((field) => field.name === name));
      return keys.flatMap((key) => {
        const found = table.rows.get(identityOfKey({ fields: table.fields, key: asked.key }, key));
        return found ? [at.map((index) => found.values[index] ?? null)] : [];
      });
    },
  };
}

/** Those that are wanted, and behind them those that are new. */
function wantedFields({ fields, ignored }: LogStream, all: readonly Field[]): readonly Field[] {
  const wanted = fields.flatMap((name) => all.find((field) => field.name === name) ?? []);
  return ignored ? [...wanted, ...all.filter(({ name }) => !fields.includes(name) && !ignored.includes(name))] : wanted;
}

function demandStream(memory: Memory, { stream, fields, key }: LogStream): void {
  const table = memory.table(stream);
  if (key.length === 0) throw new OutsideError('config', 'KEY_MISSING', `To follow "${stream}" it needs a key.`);
  const missing = [...fields, ...key].find((name) => !table.fields.some((field) => field.name === name));
  if (missing !== undefined) throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing}".`);
}

function isLarge(transaction: FakeTransaction | undefined): boolean {
  return (transaction?.changes.length ?? 0) > 100;
}

function sizeOf(row: Row): number {
  return row.reduce((sum, value) => sum + 8 + (value?.length ?? 0), 50);
}

function positionOf(number: number): Position {
  return JSON.stringify({ transaction: number });
}

function numberIn(position: Position): number {
  try {
    const { transaction } = JSON.parse(position) as { transaction?: unknown };
    if (Number.isSafeInteger(transaction)) return transaction as number;
  } catch {
    // Not JSON, or null: answered below.
  }
  throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of this log.', { hint: 'Start anew.' });
}
