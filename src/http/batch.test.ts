import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../test/support/until.ts';
import { AppError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { answerLines, type BatchWork } from './batch.ts';

const MOST = 8;

interface Sent {
  lines: AsyncGenerator<Buffer>;
  /** How many of the lines were taken. */
  taken: () => number;
}

function send(count: number, length = 1): Sent {
  let taken = 0;
  async function* lines() {
    for (; taken < count; taken++) yield Buffer.from(`${String(taken).padStart(length)}\n`);
  }
  return { lines: lines(), taken: () => taken };
}

function workOf(write: BatchWork<number>['write'], check = (value: unknown) => value as number): BatchWork<number> {
  return { what: 'numbers', most: MOST, check, write, log: createLog('silent') };
}

const written = async (items: number[]) => items.map(String);

async function textOf(answers: AsyncIterable<string>): Promise<string[]> {
  let text = '';
  for await (const answer of answers) text += answer;
  return text.trimEnd().split('\n');
}

test('each line is answered, in order, with its place', async () => {
  const answers = await textOf(answerLines(send(100).lines, workOf(written)));
  assert.deepEqual(
    answers,
    Array.from({ length: 100 }, (_, index) => `{"index":${index},"success":true,"data":${index}}`),
  );
});

test('a write that fails ends the answer, and tells from where nothing was written', async () => {
  const seen: number[] = [];
  const write = async (items: number[]) => {
    if (seen.length > 10) throw new AppError('UNAVAILABLE', 'The database is away.');
    seen.push(...items);
    return items.map(String);
  };
  const answers = await textOf(answerLines(send(100).lines, workOf(write)));
  const last = JSON.parse(answers.pop() as string) as { index: number; success: boolean; error: { code: string } };
  assert.equal(answers.length, seen.length);
  assert.deepEqual([last.index, last.success, last.error.code], [seen.length, false, 'UNAVAILABLE']);
});

for (const [what, length, most] of [
  ['lines', 1, MOST],
  ['bytes', 1_000_000, 6],
] as const)
  test(`while a write takes its time no more ${what} are read than the next one takes`, async () => {
    const slow = Promise.withResolvers<void>();
    const sent = send(1000, length);
    const write = async (items: number[]) => {
      await slow.promise;
      return items.map(String);
    };
    const answers = answerLines(sent.lines, { ...workOf(write), most: what === 'lines' ? MOST : 1000 });
    const first = answers.next();
    await until('some lines are read', () => sent.taken() >= 4);
    // All that can go on without the write goes on.
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
    assert.ok(sent.taken() <= 2 + most, `${sent.taken()} lines are in memory`);
    slow.resolve();
    await first;
    await answers.return(undefined);
  });

test('a write that fails after the client has left, or after a check has failed, harms nobody', async () => {
  const slow = Promise.withResolvers<string[]>();
  let checked = 0;
  const faulty = (value: unknown) => {
    if (++checked > 4) throw new Error('a fault of ours');
    return value as number;
  };
  const answers = await textOf(
    answerLines(
      send(20).lines,
      workOf(() => slow.promise, faulty),
    ),
  );
  assert.match(answers.at(-1) ?? '', /INTERNAL_ERROR/);
  // The runner fails a test whose rejection nobody has seen.
  slow.reject(new Error('too late'));
  await new Promise(setImmediate);
});
