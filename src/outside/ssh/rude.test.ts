import assert from 'node:assert/strict';
import { createECDH, generateKeyPairSync, getDiffieHellman, sign } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { hostKeyMade, type Manners, type RudeSession, type RudeSsh, startRudeSsh } from '../../../test/support/rude-ssh.ts';
import { until } from '../../../test/support/until.ts';
import { isWhole } from '../../../test/support/whole.ts';
import { OutsideError } from '../errors.ts';
import { reachOf } from '../reach.ts';
import { openSubsystem, type SshChannel, type SshOptions } from './connection.ts';
import { isSignedBy, loginKeyOf } from './keys.ts';
import { byte, mpint, SshReader, string, uint32 } from './wire.ts';

const never = new AbortController().signal;
const PASSWORD = 'open sesame';
const { privateKey } = generateKeyPairSync('ed25519');
const KEY = loginKeyOf(privateKey.export({ type: 'pkcs8', format: 'pem' }), undefined, { key: 'private_key', passphrase: 'passphrase' });
const servers: RudeSsh[] = [];
after(() => servers.forEach((server) => server.close()));

const TOO_EARLY = /a message comes before its time/;
const message = (kind: number, ...parts: Buffer[]): Buffer => Buffer.concat([byte(kind), ...parts]);
const SUCCESS = message(52);
const failureWith = (methods: string, isPartly = false): Buffer => message(51, string(methods), byte(isPartly ? 1 : 0));
const disconnect = (reason: number, words: string): Buffer => message(1, uint32(reason), string(words), string(''));
const methodOf = (request: Buffer): string => {
  const reader = new SshReader(request, 1);
  return [reader.text(), reader.text(), reader.text()][2] as string;
};

interface Opened {
  readonly server: RudeSsh;
  readonly channel: SshChannel;
  /** What ended it later. */
  readonly end: Promise<OutsideError>;
}

async function open(manners: Manners, differences: Partial<SshOptions> = {}): Promise<Opened> {
  const server = await startRudeSsh(manners);
  servers.push(server);
  const { promise: end, resolve } = Promise.withResolvers<OutsideError>();
  const options = { reach: reachOf('any'), host: '127.0.0.1', port: server.port, user: 'ann', password: PASSWORD, prefix: '' };
  const channel = await openSubsystem('sftp', { ...options, ...differences }, { onData: () => {}, onEnd: resolve }, never);
  return { server, channel, end };
}

async function refused(manners: Manners, code: string, words: RegExp, differences: Partial<SshOptions> = {}): Promise<OutsideError> {
  const error = await open(manners, differences).then(
    ({ end }) => end,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OutsideError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, words);
  assert.ok(!`${error.message} ${error.hint}`.includes(PASSWORD));
  return error;
}

describe('keys that a rude server would agree on', () => {
  test('a good one is believed, strict or not', async () => {
    for (const isLax of [false, true]) {
      const { channel, server } = await open({ isLax });
      assert.equal(channel.fingerprint, server.fingerprint);
      channel.close();
    }
  });

  test('no half of a secret is taken that would make it known', async () => {
    const x25519 = [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
      `ec${'ff'.repeat(30)}7f`,
      `ed${'ff'.repeat(30)}7f`,
      '09',
    ].map((hex) => Buffer.from(hex, 'hex'));
    const wrongCurve = createECDH('secp384r1');
    const curve = [Buffer.from([0]), Buffer.alloc(0), Buffer.concat([byte(4), Buffer.alloc(64, 1)]), wrongCurve.generateKeys()];
    const prime = getDiffieHellman('modp14').getPrime();
    const nearly = Buffer.from(prime);
    nearly[nearly.length - 1] = (nearly.at(-1) ?? 0) - 1;
    const positive = (bytes: Buffer): Buffer => mpint(bytes).subarray(4);
    const group = [Buffer.alloc(0), Buffer.from([1]), positive(nearly), positive(prime), Buffer.alloc(256, 0x80)];
    for (const [kex, halves] of [
      ['curve25519-sha256', x25519],
      ['ecdh-sha2-nistp256', curve],
      ['diffie-hellman-group14-sha256', group],
    ] as const)
      for (const half of halves) await refused({ kex, half }, 'NOT_SSH', /its half of the key is not one/);
  });

  test('a host key counts only with its own signature, by the algorithm that was agreed on', async () => {
    const good = hostKeyMade();
    const other = hostKeyMade();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = rsa.publicKey.export({ format: 'jwk' }) as { n: string; e: string };
    const number = (text: string): Buffer => mpint(Buffer.from(text, 'base64url'));
    const rsaBlob = Buffer.concat([string('ssh-rsa'), number(jwk.e), number(jwk.n)]);
    const signedAs = (name: string, hash: string) => (data: Buffer) =>
      Buffer.concat([string(name), string(sign(hash, data, rsa.privateKey))]);
    const isRsa = (name: string, hash: string): Manners => ({
      hostKeys: ['rsa-sha2-256'],
      hostKey: () => ({ type: 'ssh-rsa', blob: rsaBlob, sign: signedAs(name, hash) }),
    });
    const { channel } = await open(isRsa('rsa-sha2-256', 'sha256'));
    channel.close();
    for (const manners of [
      { hostKey: () => ({ ...good, sign: (data: Buffer) => other.sign(data) }) },
      { hostKey: () => ({ ...good, sign: () => good.sign(Buffer.from('something else')) }) },
      isRsa('ssh-rsa', 'sha1'),
      isRsa('rsa-sha2-512', 'sha512'),
      isRsa('rsa-sha2-256', 'sha1'),
    ])
      await refused(manners, 'NOT_SSH', /does not prove that it has its host key/);
    const mixed = Buffer.concat([string('ecdsa-sha2-nistp256'), string('nistp384'), string(createECDH('secp384r1').generateKeys())]);
    await refused({ hostKeys: ['ecdsa-sha2-nistp256'], hostKey: () => ({ ...good, blob: mixed }) }, 'NOT_SSH', /unknown type/);
  });

  test('a signature may come without the zeros before it', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = rsa.publicKey.export({ format: 'jwk' }) as { n: string; e: string };
    const number = (text: string): Buffer => mpint(Buffer.from(text, 'base64url'));
    const blob = Buffer.concat([string('ssh-rsa'), number(jwk.e), number(jwk.n)]);
    // One in 256 begins with a zero.
    for (let tries = 0; ; tries++) {
      const data = Buffer.from(`data ${tries}`);
      const bytes = sign('sha256', data, rsa.privateKey);
      if (bytes[0] !== 0) continue;
      const signature = Buffer.concat([string('rsa-sha2-256'), string(bytes.subarray(1))]);
      assert.ok(isSignedBy(blob, 'rsa-sha2-256', data, signature));
      return;
    }
  });

  test('nothing slips in before there are keys', async () => {
    const ignored = message(2, string('x'));
    await refused({ first: (session) => session.send(ignored) }, 'NOT_SSH', TOO_EARLY);
    await refused({ middle: (session) => session.send(ignored) }, 'NOT_SSH', TOO_EARLY);
    await refused({ middle: (session) => session.send(message(7, uint32(0))) }, 'NOT_SSH', TOO_EARLY);
    for (const early of [SUCCESS, message(21), message(6, string('ssh-userauth')), message(94, uint32(0), string('x'))])
      await refused({ isLax: true, middle: (session) => session.send(early) }, 'NOT_SSH', /before its time|between keys/);
    await refused({ isLax: true, middle: (session) => session.begin() }, 'NOT_SSH', /begins twice/);
    // Without the strict rules, which older servers do not know, that is allowed.
    const { channel } = await open({ isLax: true, first: (session) => session.send(ignored), middle: (session) => session.send(ignored) });
    channel.close();
  });

  test('new keys are agreed on again by both sides, with the same host key and nothing in between', async () => {
    const keys = [hostKeyMade(), hostKeyMade()];
    const onData = (session: RudeSession): void => session.begin();
    const good = await open({ onData });
    await good.channel.write(Buffer.from('x'));
    await until('new keys', () => good.server.received.filter(([kind]) => kind === 21).length === 2);
    await good.channel.write(Buffer.from('y'));
    await until('new keys again', () => good.server.received.filter(([kind]) => kind === 21).length === 3);
    good.channel.close();

    const other = await open({ onData, hostKey: (exchange) => keys[exchange] ?? hostKeyMade() });
    await other.channel.write(Buffer.from('x'));
    const error = await other.end;
    assert.deepEqual([error.code, /than a moment ago/.test(error.message)], ['HOST_KEY_WRONG', true]);

    const talks = await open({
      onData: (session) => {
        session.begin();
        session.say(Buffer.from('x'));
      },
    });
    await talks.channel.write(Buffer.from('x'));
    assert.match((await talks.end).message, /a message comes between keys/);
  });

  test('we begin with new keys ourselves after some time and after some bytes', async () => {
    for (const renewal of [
      { bytes: 1e9, ms: 0 },
      { bytes: 1000, ms: 1e9 },
    ]) {
      const { channel, server } = await open({ onData: (session, bytes) => session.say(bytes) }, { renewal });
      await channel.write(Buffer.alloc(2000));
      await until('new keys', () => server.received.filter(([kind]) => kind === 21).length > 1);
      channel.close();
    }
  });
});

describe('a log-in at a rude server', () => {
  test('goes on with the other way when one was not enough, whichever the server wants first', async () => {
    for (const order of [
      ['password', 'publickey'],
      ['publickey', 'password'],
    ] as const) {
      const asked: string[] = [];
      const auth = (session: RudeSession, request: Buffer): void => {
        const method = methodOf(request);
        if (method !== 'none') asked.push(method);
        session.send(asked.length === 2 ? SUCCESS : failureWith(order[asked.length] as string, asked.length > 0));
      };
      const { channel } = await open({ answers: { 50: auth } }, { key: KEY });
      assert.deepEqual(asked, order);
      channel.close();
    }
  });

  test('takes nothing out of turn', async () => {
    const twice = (kind: number, first: Buffer, second: Buffer): Manners => ({
      answers: {
        [kind]: (session) => {
          session.send(first);
          session.send(second);
        },
      },
    });
    const accepted = message(6, string('ssh-userauth'));
    await refused({ answers: { 5: (session) => session.send(SUCCESS) } }, 'NOT_SSH', TOO_EARLY);
    await refused(twice(5, accepted, accepted), 'NOT_SSH', TOO_EARLY);
    await refused(twice(50, SUCCESS, SUCCESS), 'NOT_SSH', TOO_EARLY);
    await refused(twice(50, SUCCESS, failureWith('password')), 'NOT_SSH', TOO_EARLY);
  });

  test('that is refused is told as such, however the server says it, and without its control characters', async () => {
    const ends = (answer: Buffer): Manners => ({ answers: { 50: (session) => session.send(answer) } });
    await refused(ends(failureWith('')), 'LOGIN_REFUSED', /does not let ann in\.$/);
    await refused(ends(disconnect(2, 'Too many authentication failures')), 'LOGIN_REFUSED', /does not let ann in/);
    await refused(ends(disconnect(14, '')), 'LOGIN_REFUSED', /does not let ann in/);
    const said = await refused(ends(failureWith('\u001b[31mgssapi\nroot: ok')), 'LOGIN_REFUSED', /It takes: \[31mgssapiroot: ok\.$/);
    assert.equal(said.kind, 'auth');
    const words = '\u001b]0;x\u0007shutting\r\ndown';
    const lost = await refused(ends(disconnect(11, words)), 'CONNECTION_LOST', /ended: \]0;xshuttingdown\.$/);
    assert.equal(lost.kind, 'transient');
    await refused({ hostKeys: ['\u001b[1mx'] }, 'NOT_SSH', /it has \[1mx\.$/);
  });

  test('a password that has to be changed is told, and never told to another question', async () => {
    const asks = (session: RudeSession, request: Buffer): void =>
      session.send(methodOf(request) === 'none' ? failureWith('password') : message(60, string('Change it'), string('')));
    assert.equal((await refused({ answers: { 50: asks } }, 'PASSWORD_EXPIRED', /change the password first/)).kind, 'auth');

    const answers: string[][] = [];
    const question = (...prompts: [string, boolean][]): Buffer =>
      message(
        60,
        string(''),
        string(''),
        string(''),
        uint32(prompts.length),
        ...prompts.flatMap(([p, isSeen]) => [string(p), byte(isSeen ? 1 : 0)]),
      );
    const rounds = [question(['Name', true], ['Password', false]), question(), question(['New password', false])];
    const auth = (session: RudeSession, request: Buffer): void =>
      session.send(methodOf(request) === 'none' ? failureWith('keyboard-interactive') : (rounds.shift() as Buffer));
    const answered = (session: RudeSession, response: Buffer): void => {
      const reader = new SshReader(response, 1);
      answers.push(Array.from({ length: reader.uint32() }, () => reader.text()));
      session.send(rounds.shift() as Buffer);
    };
    await refused({ answers: { 50: auth, 61: answered } }, 'LOGIN_REFUSED', /asks for more than a password/);
    assert.deepEqual(answers, [['', PASSWORD], []]);
    await refused({ answers: { 50: (session) => session.send(question(['Password', false])) } }, 'NOT_SSH', /asks what it may not/);
  });
});

describe('a session at a rude server', () => {
  const opened = (channel: number): Buffer => message(91, uint32(channel), uint32(7), uint32(1000), uint32(1000));
  const sends =
    (...messages: Buffer[]) =>
    (session: RudeSession): void =>
      messages.forEach((one) => session.send(one));

  test('takes nothing out of turn, and nothing for another channel', async () => {
    const data = message(94, uint32(0), string('x'));
    await refused({ answers: { 90: sends(opened(0), opened(0)) } }, 'NOT_SSH', TOO_EARLY);
    await refused({ answers: { 90: sends(opened(0), data) } }, 'NOT_SSH', TOO_EARLY);
    await refused({ answers: { 90: sends(message(99, uint32(0))) } }, 'NOT_SSH', TOO_EARLY);
    await refused({ answers: { 90: sends(opened(3)) } }, 'NOT_SSH', /a channel that is not there/);
    const done = message(99, uint32(0));
    await refused({ answers: { 98: sends(done, message(94, uint32(1), string('x'))) } }, 'NOT_SSH', /a channel that is not there/);
    await refused({ answers: { 98: sends(done, message(100, uint32(0))) } }, 'NOT_SSH', TOO_EARLY);
  });

  test('that is refused is told with the reason; one that is short of sessions is asked again later', async () => {
    const refuses = (code: number): Manners => ({
      answers: { 90: sends(message(92, uint32(0), uint32(code), string('no\nway'), string(''))) },
    });
    assert.equal((await refused(refuses(1), 'CHANNEL_REFUSED', /refuses a session: noway\.$/)).kind, 'auth');
    assert.equal((await refused(refuses(4), 'SERVER_BUSY', /no session left for ann: noway\.$/)).kind, 'transient');
  });

  test('answers that it does not know a message, and that it opens nothing', async () => {
    const asks = sends(
      message(192, string('ping')),
      message(90, string('x11'), uint32(5), uint32(1), uint32(1)),
      message(80, string('keepalive'), byte(1)),
    );
    const { channel, server } = await open({ answers: { 94: asks } });
    await channel.write(Buffer.from('x'));
    await until('the answers', () => [3, 92, 82].every((kind) => server.received.some(([first]) => first === kind)));
    channel.close();
  });

  test('a server that asks and takes no answers does not fill the memory', async () => {
    const request = message(80, string('x'), byte(1));
    const floods = (session: RudeSession): void => {
      session.socket.pause();
      const more = (): void => {
        while (session.socket.writable && session.socket.writableLength < 100_000) session.send(request);
        if (session.socket.writable) setImmediate(more);
      };
      more();
    };
    // It never comes to agree on the keys that we want.
    const begins = (session: RudeSession): void => {
      session.say(Buffer.alloc(20_000));
      floods(session);
    };
    const held = await open({ answers: { 94: begins } }, { renewal: { bytes: 10_000, ms: 1e9 } });
    await held.channel.write(Buffer.from('x'));
    assert.match((await held.end).message, /asks without taking the answers/);
    // What the system holds for a socket has to be filled first.
    if (!isWhole) return;
    const unsent = await open({ answers: { 94: floods } });
    await unsent.channel.write(Buffer.from('x'));
    assert.match((await unsent.end).message, /asks without taking the answers/);
  });

  test('that never comes about ends in time, at every stage', async (t) => {
    const silent = (): void => {};
    for (const kind of [30, 5, 50, 90, 98]) {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const server = await startRudeSsh({ answers: { [kind]: silent } });
      servers.push(server);
      const options = { reach: reachOf('any'), host: '127.0.0.1', port: server.port, user: 'ann', password: PASSWORD, prefix: '' };
      const opening = openSubsystem('sftp', options, { onData: () => {}, onEnd: () => {} }, never);
      const ended = opening.then(
        () => 'open',
        (error: OutsideError) => error.code,
      );
      while (!server.received.some(([first]) => first === kind)) await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(20_000);
      assert.equal(await ended, 'TIMEOUT', String(kind));
      t.mock.timers.reset();
      await until('the connection to end', () => server.sockets.size === 0);
    }
  });
});
