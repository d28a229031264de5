import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openFiles } from '../../../../../test/support/files-session.ts';
import { failure, rowsOf } from '../../../../../test/support/session-outcome.ts';
import { loginAt } from '../../../../../test/support/sftp-folder.ts';
import { startSsh } from '../../../../../test/support/ssh-server.ts';
import { Batch } from '../../../batch.ts';
import { withDefaults } from '../../../config-values.ts';
import type { WriteRequest } from '../../../contract.ts';
import type { Session } from '../../../session.ts';
import { connector } from '../../connector.ts';
import { FilesConfig } from '../../manifest.ts';

const isRoot = process.getuid?.() === 0;
const server = await startSsh(['PasswordAuthentication yes']);
const { folder } = server;
after(() => server.stop());

const open = (path: string, place: Record<string, unknown> = {}): Promise<Session> =>
  openFiles({ path, place: { ...loginAt(server), ...place } });

const request: WriteRequest = {
  stream: 'numbers',
  fields: [{ name: 'n', type: 'int64', nullable: false }],
  key: ['n'],
  mode: 'mirror',
  owner: 'one',
  token: 1n,
  create: true,
};

describe('files over SFTP', () => {
  test('are found by path, pattern and folder, packed or not, links to files too', async () => {
    mkdirSync(join(folder, 'in/deep'), { recursive: true });
    writeFileSync(join(folder, 'in/a.csv'), 'n\n1\n');
    writeFileSync(join(folder, 'in/deep/b.csv.gz'), gzipSync('n\n2\n'));
    symlinkSync('a.csv', join(folder, 'in/link.csv'));
    const whole = await open('in');
    assert.deepEqual(
      (await whole.discover()).map(({ name }) => name),
      ['a', 'deep', 'link'],
    );
    assert.deepEqual(await rowsOf(whole, 'link', ['n']), [['1']]);
    await whole.close();
    const pattern = await open(`${folder}/in/**/*.csv*`);
    assert.deepEqual(await rowsOf(pattern, 'csv', ['n']).catch(() => rowsOf(pattern, 'in', ['n'])), [['1'], ['2'], ['1']]);
    await pattern.close();
  });

  test('take the place of the old one in one step, with its rights', async () => {
    writeFileSync(join(folder, 'numbers.csv'), 'n\n7\n');
    chmodSync(join(folder, 'numbers.csv'), 0o604);
    const before = statSync(join(folder, 'numbers.csv')).ino;
    const session = await open('.');
    const writer = await session.write(request);
    await writer.write(Batch.ofRows([['1'], ['2']], { position: 'a' }));
    assert.equal(readFileSync(join(folder, 'numbers.csv'), 'utf8'), 'n\n7\n');
    assert.deepEqual((await writer.finish()).deleted, 1);
    await writer.close();
    await session.close();
    const now = statSync(join(folder, 'numbers.csv'));
    assert.equal(readFileSync(join(folder, 'numbers.csv'), 'utf8'), 'n\n1\n2\n');
    assert.notEqual(now.ino, before);
    assert.equal(now.mode & 0o777, 0o604);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });

  test('a lost connection is made anew: reading goes on, and writing goes on behind the last batch', async () => {
    const lines = Array.from({ length: 300_000 }, (_, n) => `${n},${'x'.repeat(20)}\n`).join('');
    writeFileSync(join(folder, 'long.csv'), `n,t\n${lines}`);
    const session = await open('.');
    let [next, cuts] = [0, 0];
    for await (const batch of session.read({ stream: 'long', fields: ['n'], key: [], batchBytes: 100_000 })) {
      for (const [n] of batch.rows) assert.equal(n, String(next++));
      if (next > (cuts + 1) * 80_000 && cuts < 3) {
        cuts++;
        server.cut();
      }
    }
    assert.deepEqual([next, cuts], [300_000, 3]);
    const first = await session.write({ ...request, stream: 'cut', mode: 'append' });
    await first.write(Batch.ofRows([['1']], { position: 'first' }));
    server.cut();
    const error = await failure(
      first.write(Batch.ofRows([['2']], { position: 'second' })).then(() => first.write(Batch.ofRows([['3']], { position: 'third' }))),
    );
    assert.equal(error.kind, 'transient');
    await first.close();
    const second = await session.write({ ...request, stream: 'cut', mode: 'append', token: 2n });
    const rest = second.checkpoint === 'first' ? [['2'], ['3']] : [['3']];
    await second.write(Batch.ofRows(rest, { position: 'third' }));
    await second.finish();
    await session.close();
    assert.equal(readFileSync(join(folder, 'cut.csv'), 'utf8'), 'n\n1\n2\n3\n');
  });

  test('large ones arrive whole, there and back', async () => {
    const session = await open('.');
    const text = randomBytes(3_000_000).toString('base64');
    const writer = await session.write({
      ...request,
      stream: 'large',
      fields: [{ name: 't', type: 'text', nullable: false }],
      key: [],
      mode: 'append',
    });
    for (let n = 0; n < 4; n++) await writer.write(Batch.ofRows([[text + String(n)]], { position: String(n) }));
    await writer.finish();
    await writer.close();
    assert.deepEqual(
      await rowsOf(session, 'large', ['t']),
      [0, 1, 2, 3].map((n) => [text + String(n)]),
    );
    await session.close();
  });

  test('what is missing, forbidden or ours is told by name', async () => {
    const codeOf = async (path: string): Promise<string> => {
      const session = await open(path);
      const { code } = await failure(session.check());
      await session.close();
      return code;
    };
    assert.equal(await codeOf('none.csv'), 'FILE_MISSING');
    assert.equal(await codeOf(`${folder}/.syncline/x.csv`), 'PATH_REFUSED');
    assert.deepEqual(
      connector.manifest.validate?.(
        withDefaults(FilesConfig, { path: '../x', place: { type: 'sftp', host: 'a', user: 'b', host_key: 'MD5:1' } }) as never,
      ),
      [
        { field: 'path', reason: 'must not contain ".."' },
        { field: 'place.password', reason: 'is mandatory, or private_key instead' },
        { field: 'place.host_key', reason: 'must be a fingerprint (SHA256:…) or a public key (ssh-ed25519 AAAA…)' },
      ],
    );
  });

  test('checking tells the host key when none is set, and refuses another', async () => {
    const trusting = await open('.', { host_key: undefined });
    const { warnings } = await trusting.check();
    assert.ok(warnings.some((warning) => warning.includes(server.fingerprint)));
    await trusting.close();
    const wary = await open('.', { host_key: `SHA256:${'B'.repeat(43)}` });
    assert.equal((await failure(wary.check())).code, 'HOST_KEY_WRONG');
    await wary.close();
  });

  test('a password lets in, a wrong one does not', { skip: !isRoot && 'only root can make a user with a password' }, async () => {
    const user = `syncline-${randomBytes(4).toString('hex')}`;
    const hash = execFileSync('openssl', ['passwd', '-6', 'secret word'], { encoding: 'utf8' }).trim();
    execFileSync('useradd', ['--no-create-home', '--shell', '/bin/sh', '--password', hash, user]);
    try {
      chmodSync(folder, 0o755);
      const login = { user, private_key: undefined };
      const session = await open('in', { ...login, password: 'secret word' });
      assert.match((await session.check()).message, /The folder in/);
      await session.close();
      const wrong = await open('in', { ...login, password: 'other' });
      const error = await failure(wrong.check());
      assert.deepEqual([error.kind, error.code, error.field], ['auth', 'LOGIN_REFUSED', 'place.password']);
      await wrong.close();
    } finally {
      execFileSync('userdel', [user]);
    }
  });
});
