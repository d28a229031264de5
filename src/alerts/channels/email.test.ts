import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSmtp, type SmtpMood, type SmtpOptions, type SmtpServer } from '../../../test/support/smtp-server.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/tls-certificates.ts';
import type { AlertChannel } from '../alert.ts';
import { createSender, type Sent } from './send.ts';
import type { AlertMessage } from './telling.ts';

const TLS = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
const LOGIN = { user: 'us@er', password: 'p:w/?#' };
const CREDENTIALS = 'us%40er:p%3Aw%2F%3F%23@';

const message: AlertMessage = {
  id: 'msg_1',
  kind: 'opened',
  alert: { id: 'alt_1', name: 'operations' },
  incident: {
    id: 'inc_1',
    rule: 'failing',
    object_id: 'syn_1',
    object_name: 'Kärnten\r\nBcc: all@example.com <b>',
    opened_at: '2026-11-16T10:00:00.000Z',
    closed_at: null,
    summary: `.\r\n.\r\nQUIT ${'long '.repeat(300)}`,
    ending: null,
    details: '{}',
  },
  at: '2026-11-16T12:00:00.000Z',
};

async function mailing(options: SmtpOptions, work: (server: SmtpServer) => Promise<void>): Promise<void> {
  const server = await startSmtp(options);
  try {
    await work(server);
    assert.deepEqual(server.faults, []);
  } finally {
    await server.close();
  }
}

const channel = (url: string, more: Partial<Extract<AlertChannel, { type: 'email' }>> = {}): AlertChannel => ({
  type: 'email',
  smtp_url: url,
  from: 'Syncline <sync@example.com>',
  to: ['ops@example.com', 'Chief <chief@example.com>'],
  ca: null,
  ...more,
});
const send = (to: AlertChannel, time = 5000, networks = 'any'): Promise<Sent> =>
  createSender({ networks, publicUrl: undefined, time }).send(to, message, new AbortController().signal);

test('a mail arrives whole, as one message, with an id that stays', async () => {
  await mailing({}, async (server) => {
    const to = channel(`smtp://127.0.0.1:${server.port}`);
    assert.deepEqual(await send(to), { delivered: true, remark: null });
    await send(to);
    assert.equal(server.mails.length, 2);
    const [mail, again] = server.mails;
    assert.deepEqual([mail?.from, mail?.to], ['sync@example.com', ['ops@example.com', 'chief@example.com']]);
    assert.equal(mail?.headers.get('message-id'), '<msg_1@example.com>');
    assert.equal(again?.headers.get('message-id'), mail?.headers.get('message-id'));
    assert.equal(mail?.headers.get('auto-submitted'), 'auto-generated');
    assert.equal(mail?.headers.get('references'), '<inc_1@example.com>');
    assert.ok(!mail?.headers.has('bcc'));
    assert.match(mail?.headers.get('subject') ?? '', /^=\?UTF-8\?/i);
  });
});

test('TLS: from the start or by STARTTLS, with a certificate that is right wherever there is a password', async () => {
  await mailing({ tls: TLS, login: LOGIN }, async (server) => {
    const url = `smtp://${CREDENTIALS}localhost:${server.port}`;
    assert.deepEqual(await send(channel(url, { ca: AUTHORITY })), { delivered: true, remark: null });
    assert.partialDeepStrictEqual(server.mails[0], { user: LOGIN.user, isEncrypted: true });
    const untrusted = await send(channel(url));
    assert.match(untrusted.delivered ? '' : untrusted.error, /could not agree on TLS/);
    const wrong = await send(channel(`smtp://someone:else@localhost:${server.port}`, { ca: AUTHORITY }));
    assert.match(wrong.delivered ? '' : wrong.error, /refused the user or the password/);
    assert.ok(!wrong.delivered && !wrong.error.includes('else'));
    assert.equal(server.mails.length, 1);
  });
  await mailing({ tls: { ...TLS, immediate: true }, login: LOGIN }, async (server) => {
    assert.deepEqual(await send(channel(`smtps://${CREDENTIALS}localhost:${server.port}`, { ca: AUTHORITY })), {
      delivered: true,
      remark: null,
    });
  });
  await mailing({ tls: TLS }, async (server) => {
    assert.deepEqual(
      await send(channel(`smtp://127.0.0.1:${server.port}`)),
      { delivered: true, remark: null },
      'without a password, encrypted is better than not',
    );
    assert.equal(server.mails[0]?.isEncrypted, true);
  });
  await mailing({ login: LOGIN }, async (server) => {
    const open = await send(channel(`smtp://${CREDENTIALS}localhost:${server.port}`));
    assert.match(open.delivered ? '' : open.error, /TLS/, 'a password is never sent in the open');
    assert.deepEqual(server.mails, []);
  });
});

test('smtps:// where smtp:// is meant, and the reverse, is said with what to write', async () => {
  await mailing({}, async (server) => {
    const sent = await send(channel(`smtps://127.0.0.1:${server.port}`));
    assert.match(sent.delivered ? '' : sent.error, /does not speak TLS from the start.*Write smtp:\/\/ instead of smtps:\/\//);
    server.faults.length = 0;
  });
  await mailing({ tls: { ...TLS, immediate: true } }, async (server) => {
    const sent = await send(channel(`smtp://127.0.0.1:${server.port}`), 2000);
    assert.match(sent.delivered ? '' : sent.error, /did not answer in time.*write smtps:\/\/ instead of smtp:\/\//);
  });
});

test('whatever a server does, the try ends in time and in words', async () => {
  const moods: [SmtpMood, RegExp][] = [
    [{ greeting: '421 4.3.2 come back later' }, /421|come back later/],
    [{ greeting: '554 5.7.1 go away' }, /554|go away/],
    [{ mail: '451 4.7.1 grey' }, /answered 451\. It said: 451 4\.7\.1 grey/],
    [{ rcpt: () => '550 5.1.1 nobody here' }, /550 5\.1\.1 nobody here/],
    [{ data: '452 4.3.1 disk full' }, /answered 452/],
    [{ data: '554 5.7.1 spam' }, /answered 554/],
    ['closes', /did not take the message|was lost/],
    ['swallows', /did not take the message|was lost/],
    ['drips', /longer than 1\.2 s|in time/],
    ['silent', /longer than 1\.2 s|in time/],
  ];
  await mailing({}, async (server) => {
    for (const [mood, words] of moods) {
      server.mood = mood;
      const from = performance.now();
      const sent = await send(channel(`smtp://127.0.0.1:${server.port}`), 1200);
      assert.ok(performance.now() - from < 4000, JSON.stringify(mood));
      assert.ok(!sent.delivered, JSON.stringify(mood));
      assert.match(sent.error, words);
    }
    server.mood = { rcpt: (address) => (address.startsWith('chief') ? '550 5.1.1 gone' : '250 ok') };
    assert.deepEqual(await send(channel(`smtp://127.0.0.1:${server.port}`)), {
      delivered: true,
      remark: 'The server refused chief@example.com; the others got it.',
    });
  });
  const closed = await send(channel('smtp://127.0.0.1:9'));
  assert.match(closed.delivered ? '' : closed.error, /Nothing answers at 127\.0\.0\.1:9/);
});

test('a mail server is only where connections may go', async () => {
  await mailing({}, async (server) => {
    for (const [host, networks] of [
      ['127.0.0.1', 'public'],
      ['localhost', 'public'],
      ['169.254.169.254', 'any'],
      ['[fd00:ec2::254]', 'any'],
      ['[::ffff:169.254.169.254]', 'any'],
      ['2852039166', 'any'],
      ['0x7f.1', 'public'],
    ] as const) {
      const sent = await send(channel(`smtp://${host}:${server.port}`), 3000, networks);
      assert.match(sent.delivered ? '' : sent.error, /may not connect/, host);
    }
    assert.equal(server.connections, 0);
  });
});
