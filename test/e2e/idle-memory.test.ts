import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { test } from 'node:test';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Megabytes of its own; 49 were seen on SQLite, 44 on PostgreSQL. The pages of Node's program, some 55 MB more, are shared, and as many as the machine has room for. */
const MOST = 54;

// As `npm start` has it.
const environment = { NODE_OPTIONS: '--max-semi-space-size=16' };

onBothEngines('a service that has nothing to do', (engine) => {
  test('takes little memory of its own', { skip: platform() !== 'linux' && 'memory is read from /proc' }, async (t) => {
    const place = await createPlace(engine);
    t.after(() => place.remove());
    // The first start on a machine fills the compile cache; every other one finds it.
    await (await startProcess(place, { environment })).stop();
    const service = await startProcess(place, { environment });
    t.after(() => service.stop());
    // A moment after the start, what it has left behind is given back.
    const isLittle = (): boolean => memoryOf(service.pid).own <= MOST;
    await until('little memory', isLittle).catch(() => undefined);
    const { all, own } = memoryOf(service.pid);
    t.diagnostic(`${all.toFixed(1)} MB, of which ${own.toFixed(1)} MB are its own`);
    assert.ok(own <= MOST, `${own.toFixed(1)} MB, and at most ${MOST} are wanted: what is loaded at the start that was not before?`);
  });
});

function memoryOf(pid: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { all: megabytes('VmRSS'), own: megabytes('RssAnon') };
}
