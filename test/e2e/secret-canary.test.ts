import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeyText } from '../../src/lib/secrets.ts';
import { createPlace, onEitherEngine } from '../support/databases.ts';
import { everythingWritten } from '../support/everything-written.ts';
import { startProcess } from '../support/process.ts';

const CANARY = 'canary-5up3r-53cr3t';
const PATH = '/api/v1/datasync/sources';

onEitherEngine('secrets of sources', (engine) => {
  test('are in nothing that the service ever wrote or said', async (t) => {
    const place = await createPlace(engine);
    t.after(() => place.remove());
    const [old, young] = [newKeyText(), newKeyText()];
    const said: string[] = [];
    let id = '';
    // The second start has a new key first, so that the secrets are encrypted anew; the third has the new one alone.
    for (const [round, keys] of [old, `${young},${old}`, young].entries()) {
      const service = await startProcess(place, { environment: { LOG_LEVEL: 'trace', SYNCLINE_SECRET_KEY: keys } });
      t.after(() => service.kill());
      const call = async (method: string, path: string, body?: unknown): Promise<string> => {
        const response = await fetch(service.url + path, {
          method,
          headers: { authorization: `Bearer ${service.adminKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        said.push(text, JSON.stringify([...response.headers]));
        return text;
      };
      const config = { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: CANARY };
      if (round === 0)
        id = (JSON.parse(await call('POST', PATH, { name: 'n', type: 'postgres', config })) as { data: { id: string } }).data.id;
      // The secret can still be read: without it the check could not even try to connect.
      assert.match(await call('POST', `${PATH}/${id}/check`), /PORT_CLOSED/);
      await call('PUT', `${PATH}/${id}`, { config: { ...config, password: '********', port: 2 } });
      await call('PUT', `${PATH}/${id}`, { config: { ...config, password: '********', prot: 2 } });
      await call('POST', `${PATH}/check`, { type: 'postgres', config });
      await call('POST', `${PATH}/check`, { type: 'postgres', config: { ...config, host: CANARY.length } });
      await call('GET', `${PATH}/${id}`);
      await call('GET', `${PATH}/${id}/streams`);
      await call('GET', `${PATH}/${id}/streams/x/sample`);
      await call('GET', PATH);
      await call('GET', '/api/v1/events?limit=1000');
      await call('GET', '/api/v1/audit?limit=1000');
      await service.stop();
      said.push(service.logs());
    }
    const written = await everythingWritten(place);
    assert.ok(written.includes(id), 'what was written is looked at');
    for (const text of [...said, written]) {
      const at = text.indexOf(CANARY);
      assert.equal(at, -1, text.slice(Math.max(0, at - 200), at + 50));
    }
  });

  test('that cannot be read for want of their key are told so, and can be entered anew', async (t) => {
    const place = await createPlace(engine);
    t.after(() => place.remove());
    const config = { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: CANARY };
    const ask = async (
      keys: string,
      calls: (call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: string }>) => Promise<void>,
    ) => {
      const service = await startProcess(place, { environment: { SYNCLINE_SECRET_KEY: keys } });
      t.after(() => service.kill());
      await calls(async (method, path, body) => {
        const headers = { authorization: `Bearer ${service.adminKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
        const response = await fetch(service.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
        return { status: response.status, body: await response.text() };
      });
      await service.stop();
    };
    let id = '';
    await ask(newKeyText(), async (call) => {
      id = (JSON.parse((await call('POST', PATH, { name: 'n', type: 'postgres', config })).body) as { data: { id: string } }).data.id;
    });
    await ask(newKeyText(), async (call) => {
      const checked = await call('POST', `${PATH}/${id}/check`);
      assert.equal(checked.status, 200);
      assert.match(checked.body, /SECRET_UNREADABLE.*SYNCLINE_SECRET_KEY/);
      assert.equal((await call('GET', `${PATH}/${id}/streams`)).status, 409);
      assert.equal((await call('PUT', `${PATH}/${id}`, { config: { ...config, password: '********' } })).status, 409);
      assert.equal((await call('PUT', `${PATH}/${id}`, { name: 'still changes' })).status, 200);
      assert.equal((await call('PUT', `${PATH}/${id}`, { config })).status, 200);
      assert.match((await call('POST', `${PATH}/${id}/check`)).body, /PORT_CLOSED/);
    });
  });
});
