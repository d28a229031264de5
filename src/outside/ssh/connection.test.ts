import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { failure } from '../../../test/support/session-outcome.ts';
import { type SshServer, startSsh } from '../../../test/support/ssh-server.ts';
import { OutsideError } from '../errors.ts';
import { reachOf } from '../reach.ts';
import { openSubsystem, type SshOptions } from './connection.ts';
import { loginKeyOf } from './keys.ts';

const FIELDS = { key: 'private_key', passphrase: 'passphrase' };
const never = new AbortController().signal;
const server = await startSsh(['RekeyLimit 256K none']);
after(() => server.stop());

function optionsFor({ host, port, user, keys, fingerprint }: SshServer, differences: Partial<SshOptions> = {}): SshOptions {
  const key = loginKeyOf(keys.ed25519, undefined, FIELDS);
  return { reach: reachOf('any'), host, port, user, key, hostKey: fingerprint, prefix: 'place.', ...differences };
}

/** Starts SFTP and sends so many bytes through it, there and back: requests about paths that are not there. */
async function talk(options: SshOptions, requests = 1): Promise<string> {
  let received = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const path = Buffer.alloc(2000, 'x');
  const events = {
    onData: (bytes: Buffer) => {
      received += bytes.length;
      // Each answer says at least "No such file" or that the name is too long.
      if (received >= 20 + requests * 20) resolve();
    },
    onEnd: reject,
  };
  const channel = await openSubsystem('sftp', options, events, never);
  const message = (...parts: (Buffer | number)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([0, 0, 0, part]) : part)));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, body]);
  };
  await channel.write(message(Buffer.from([1]), 3));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(path.length);
  for (let n = 0; n < requests; n++) await channel.write(message(Buffer.from([17]), n % 256, length, path));
  await promise;
  channel.close();
  return channel.fingerprint;
}

async function listening(answer: (socket: Socket) => void): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume());
    answer(socket);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = (): void => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (listener.address() as AddressInfo).port, close };
}

describe('SSH to OpenSSH', () => {
  test('lets in by each type of key, and tells the host key', async () => {
    for (const key of Object.values(server.keys))
      assert.equal(await talk(optionsFor(server, { key: loginKeyOf(key, undefined, FIELDS) })), server.fingerprint);
    for (const { key, passphrase } of [server.encrypted, server.locked])
      await talk(optionsFor(server, { key: loginKeyOf(key, passphrase, FIELDS) }));
  });

  test('believes each type of host key, and finds the one that was pinned among several', async () => {
    const several = await startSsh([], ['rsa', 'ecdsa256', 'ecdsa384', 'ecdsa521']);
    try {
      assert.equal(Object.keys(several.hostKeys).length, 5);
      for (const { line, fingerprint } of Object.values(several.hostKeys)) {
        assert.equal(await talk(optionsFor(several, { hostKey: fingerprint })), fingerprint);
        assert.equal(await talk(optionsFor(several, { hostKey: line })), fingerprint);
        assert.equal(await talk(optionsFor(several, { hostKey: `${several.host} ${line}` })), fingerprint);
      }
      const wrong = await failure(talk(optionsFor(several, { hostKey: `SHA256:${'A'.repeat(43)}` })));
      assert.deepEqual([wrong.code, wrong.message.includes(several.fingerprint)], ['HOST_KEY_WRONG', true]);
      // A key in the comment of another is not pinned.
      const { rsa, ecdsa256 } = several.hostKeys;
      const comment = `${rsa?.line.split(' ').slice(0, 2).join(' ')} ${ecdsa256?.line.split(' ')[1]}`;
      assert.equal(await talk(optionsFor(several, { hostKey: comment })), rsa?.fingerprint);
    } finally {
      several.stop();
    }
  });

  test('agrees on new keys of its own accord, again and again', async () => {
    await talk(optionsFor(server, { renewal: { bytes: 100_000, ms: 1e9 } }), 1000);
  });

  test('tells a server that hears enough, one without sessions, and one that dies', async () => {
    const strict = await startSsh(['MaxAuthTries 1', 'MaxSessions 0']);
    try {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const key = loginKeyOf(privateKey.export({ type: 'pkcs8', format: 'pem' }), undefined, FIELDS);
      const unknown = await failure(talk(optionsFor(strict, { key })));
      assert.deepEqual([unknown.kind, unknown.code], ['auth', 'LOGIN_REFUSED']);
      assert.deepEqual((await failure(talk(optionsFor(strict)))).code, 'CHANNEL_REFUSED');
    } finally {
      strict.stop();
    }
    const { promise: ended, resolve } = Promise.withResolvers<OutsideError>();
    await openSubsystem('sftp', optionsFor(server), { onData: () => {}, onEnd: resolve }, never);
    server.cut();
    const { kind, code } = await ended;
    assert.deepEqual([kind, code], ['transient', 'CONNECTION_LOST']);
  });

  test('goes on when the server wants new keys, again and again', async () => {
    await talk(optionsFor(server), 1000);
  });

  for (const [setting, values] of [
    ['Ciphers', ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com', 'aes256-ctr', 'aes192-ctr', 'aes128-ctr']],
    ['MACs', ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512']],
    [
      'KexAlgorithms',
      ['curve25519-sha256', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384', 'diffie-hellman-group16-sha512', 'diffie-hellman-group14-sha256'],
    ],
  ] as const) {
    test(`agrees on ${setting}`, async () => {
      for (const value of values) {
        const other = await startSsh([`${setting} ${value}`, ...(setting === 'MACs' ? ['Ciphers aes128-ctr'] : [])]);
        try {
          await talk(optionsFor(other), 50);
        } finally {
          other.stop();
        }
      }
    });
  }

  test('says what there is when nothing is common', async () => {
    const other = await startSsh(['KexAlgorithms sntrup761x25519-sha512@openssh.com']);
    try {
      const error = await failure(talk(optionsFor(other)));
      assert.equal(error.code, 'NOT_SSH');
      assert.match(error.message, /no way to agree on keys that both sides know; it has sntrup/);
    } finally {
      other.stop();
    }
  });

  test('knows the server by its fingerprint or its key, and takes no other', async () => {
    const scanned = execFileSync('ssh-keyscan', ['-p', String(server.port), '-t', 'ed25519', server.host], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const line = scanned.split('\n').find((one) => one.startsWith('['));
    await talk(optionsFor(server, { hostKey: line }));
    for (const hostKey of [`SHA256:${'A'.repeat(43)}`, 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA']) {
      const error = await failure(talk(optionsFor(server, { hostKey })));
      assert.deepEqual([error.kind, error.code, error.field], ['config', 'HOST_KEY_WRONG', 'place.host_key']);
      assert.ok(error.message.includes(server.fingerprint));
    }
  });

  test('a key that the server does not know, and a user that is not there, are refused', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = loginKeyOf(privateKey.export({ type: 'pkcs8', format: 'pem' }), undefined, FIELDS);
    for (const differences of [{ key }, { user: 'nobody-of-that-name' }]) {
      const error = await failure(talk(optionsFor(server, differences)));
      assert.deepEqual([error.kind, error.code, error.field], ['auth', 'LOGIN_REFUSED', 'place.private_key']);
    }
  });

  test('a subsystem that is not offered is named', async () => {
    const error = await failure(openSubsystem('other', optionsFor(server), { onData: () => {}, onEnd: () => {} }, never));
    assert.equal(error.code, 'SUBSYSTEM_MISSING');
  });

  test('an address out of bounds is refused, and a closed port is told', async () => {
    const refused = await failure(talk(optionsFor(server, { reach: reachOf('10.0.0.0/8') })));
    assert.deepEqual([refused.code, refused.field], ['ADDRESS_REFUSED', 'place.host']);
    const rude = await listening(() => {});
    rude.close();
    const closed = await failure(talk(optionsFor(server, { port: rude.port })));
    assert.deepEqual([closed.kind, closed.code, closed.field], ['transient', 'PORT_CLOSED', 'place.port']);
  });
});

describe('SSH to a rude server', () => {
  test('what does not speak SSH is told, however much it says', async () => {
    for (const answer of [
      'HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(2000),
      'SSH-1.5-old\r\n',
      `SSH-2.0-x\r\n\xff\xff\xff\xff${'x'.repeat(100)}`,
      'SSH-2.0-x\r\n\0\0\0\x0c\x0a\x14\0\0\0\0\0\0\0\0\0\0',
    ]) {
      const rude = await listening((socket) => socket.write(Buffer.from(answer, 'latin1')));
      const error = await failure(talk(optionsFor(server, { port: rude.port })));
      assert.deepEqual([error.kind, error.code], ['config', 'NOT_SSH'], answer.slice(0, 30));
      rude.close();
    }
  });

  test('a connection that ends in the middle is lost, not hanging', async () => {
    const rude = await listening((socket) => socket.end('SSH-2.0-x\r\n'));
    const error = await failure(talk(optionsFor(server, { port: rude.port })));
    assert.deepEqual([error.kind, error.code], ['transient', 'CONNECTION_LOST']);
    rude.close();
  });

  test('a byte that is changed on the way is noticed, wherever it is', async () => {
    // The last is in the middle of what is encrypted.
    for (const place of [60, 1200, 2200]) {
      const rude = await listening((near) => {
        const far = connect(server.port, server.host).on('error', () => near.destroy());
        let passed = 0;
        near.pipe(far);
        far.on('data', (bytes: Buffer) => {
          if (passed <= place && place < passed + bytes.length) bytes[place - passed] = (bytes[place - passed] ?? 0) ^ 1;
          passed += bytes.length;
          near.write(bytes);
        });
        far.on('close', () => near.destroy());
        near.on('close', () => far.destroy());
      });
      const error = await failure(talk(optionsFor(server, { port: rude.port }), 100));
      assert.equal(error.code, place === 2200 ? 'CONNECTION_LOST' : 'NOT_SSH', error.message);
      rude.close();
    }
  });

  test('a stop ends it at once', async () => {
    const stop = new AbortController();
    const rude = await listening(() => stop.abort());
    const error = await failure(
      openSubsystem('sftp', optionsFor(server, { port: rude.port }), { onData: () => {}, onEnd: () => {} }, stop.signal),
    );
    assert.equal(error.code, 'ABORTED');
    rude.close();
  });
});

describe('a private key', () => {
  test('that cannot be used is told in words that name the member', () => {
    const { key, passphrase } = server.encrypted;
    const faultOf = (text: string, given?: string): (string | undefined)[] => {
      try {
        loginKeyOf(text, given, FIELDS);
      } catch (error) {
        return error instanceof OutsideError ? [error.code, error.field] : [];
      }
      return [];
    };
    assert.deepEqual(faultOf('nonsense'), ['KEY_UNUSABLE', 'private_key']);
    assert.deepEqual(faultOf(server.keys.rsa.slice(0, 400)), ['KEY_UNUSABLE', 'private_key']);
    assert.deepEqual(faultOf(key), ['KEY_UNUSABLE', 'passphrase']);
    assert.deepEqual(faultOf(key, 'wrong'), ['KEY_UNUSABLE', 'passphrase']);
    assert.deepEqual(faultOf(key, passphrase), []);
    assert.deepEqual(faultOf(server.locked.key), ['KEY_UNUSABLE', 'passphrase']);
    assert.deepEqual(faultOf(server.locked.key, 'wrong'), ['KEY_UNUSABLE', 'passphrase']);
    const pem = (pair: { privateKey: KeyObject }): string => pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const pair of [
      generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
      generateKeyPairSync('ec', { namedCurve: 'secp224r1' }),
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
      generateKeyPairSync('x25519'),
    ])
      assert.deepEqual(faultOf(pem(pair)), ['KEY_UNUSABLE', 'private_key']);
  });
});
