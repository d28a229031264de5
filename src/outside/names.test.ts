import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createNames } from './names.ts';

const HERE: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

/** A system whose answers the test gives, and its clock. */
function system() {
  const asked: { name: string; answer: (took: number, error?: Error) => void }[] = [];
  let now = 0;
  const names = createNames(
    (name) =>
      new Promise((resolve, reject) => {
        asked.push({
          name,
          answer: (took, error) => {
            now += took;
            if (error) reject(error);
            else resolve(HERE);
          },
        });
      }),
    () => now,
  );
  const lookUp = (name: string): Promise<LookupAddress[]> => names(name, {});
  const underWay = async (): Promise<string[]> => {
    await turn();
    return asked.map(({ name }) => name);
  };
  /** Answers the oldest question for this name. */
  const answer = async (name: string, took: number, error?: Error): Promise<void> => {
    await turn();
    const at = asked.findIndex((one) => one.name === name);
    asked.splice(at, 1)[0]?.answer(took, error);
    await turn();
  };
  return { lookUp, underWay, answer, pass: (time: number) => (now += time) };
}

test('a name is looked up once at a time, and anew each time', async () => {
  const { lookUp, underWay, answer } = system();
  const both = [lookUp('a'), lookUp('a')];
  assert.deepEqual(await underWay(), ['a']);
  await answer('a', 5);
  assert.deepEqual(await Promise.all(both), [HERE, HERE]);
  void lookUp('a');
  assert.deepEqual(await underWay(), ['a']);
});

test('names that hang leave room for those that are known', async () => {
  const { lookUp, underWay, answer } = system();
  void lookUp('good');
  await answer('good', 5);
  for (let n = 0; n < 100; n++) void lookUp(`hangs ${n}`);
  assert.equal((await underWay()).length, 1);
  void lookUp('good');
  assert.deepEqual((await underWay()).at(-1), 'good');
  await answer('hangs 0', 5);
  assert.ok((await underWay()).includes('hangs 1'), 'the next one has its turn');
});

test('those that were slow, or failed slowly, go one after the other', async () => {
  const { lookUp, underWay, answer, pass } = system();
  const late = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
  for (const name of ['one', 'two', 'three']) {
    const failed = assert.rejects(lookUp(name), late);
    await answer(name, 10_000, late);
    await failed;
  }
  for (const name of ['one', 'two', 'three', 'new']) void lookUp(name);
  assert.deepEqual(await underWay(), ['one', 'new']);
  await answer('one', 20);
  assert.deepEqual(await underWay(), ['new', 'two']);
  void lookUp('one');
  assert.deepEqual(await underWay(), ['new', 'two', 'one'], 'one was quick and is known now');
  await answer('two', 2_000);
  await answer('three', 2_000);
  await answer('new', 5);
  for (const name of ['two', 'unheard']) void lookUp(name);
  assert.deepEqual(await underWay(), ['one', 'two', 'unheard'], 'they are slow');
  pass(11 * 60_000);
  void lookUp('three');
  assert.deepEqual(await underWay(), ['one', 'two', 'unheard'], 'after a while they are like any other that was never heard of');
  await answer('unheard', 5);
  assert.deepEqual(await underWay(), ['one', 'two', 'three']);
});
