import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { test } from 'node:test';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const PROMISED = 110;
const IDLE = 8_000;

// As `npm start` has it.
const environment = { NODE_OPTIONS: '--max-semi-space-size=16' };

onBothEngines('an idle service', (engine) => {
  test('takes no more memory than is promised', { skip: platform() !== 'linux' && 'memory is read from /proc' }, async (t) => {
    const place = await createPlace(engine);
    t.after(() => place.remove());
    // The first start on a machine fills the compile cache; every other one finds it.
    await (await startProcess(place, { environment })).stop();
    const service = await startProcess(place, { environment });
    t.after(() => service.stop());
    // Idle is what it is when nobody asks anything for a while: longer than all that begins with the start.
    const since = performance.now();
    await until('eight idle seconds', () => performance.now() - since > IDLE, 2 * IDLE);
    const { all, anonymous } = memoryOf(service.pid);
    t.diagnostic(`${all.toFixed(1)} MB, of which ${anonymous.toFixed(1)} MB are its own and the rest are pages of Node's program`);
    assert.ok(all <= PROMISED, `${all.toFixed(1)} MB, and ${PROMISED} are promised (${anonymous.toFixed(1)} MB are its own)`);
  });
});

function memoryOf(pid: number): { all: number; anonymous: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { all: megabytes('VmRSS'), anonymous: megabytes('RssAnon') };
}
