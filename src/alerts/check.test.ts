import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelFaults, mailboxOf, mailServerOf, ruleFaults, timingFaults } from './check.ts';

test('a mailbox is one address, with a name or without, and cannot smuggle in another', () => {
  assert.deepEqual(mailboxOf('ops@example.com'), { name: '', address: 'ops@example.com' });
  assert.deepEqual(mailboxOf('Operations Team <ops@example.com>'), { name: 'Operations Team', address: 'ops@example.com' });
  for (const bad of ['', 'ops', 'a@b@c', 'a@b, c@d', 'a@b\r\nBcc: c@d', 'x\r\n <a@b>', '<a@b> <c@d>', 'a b@c', '"a"@b', 'a@b>'])
    assert.equal(mailboxOf(bad), undefined, bad);
});

test('a mail server has a host, and what is special in user and password is encoded', () => {
  assert.deepEqual(mailServerOf('smtp://us%40er:p%3Aw@mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    isSecure: false,
    user: 'us@er',
    password: 'p:w',
  });
  assert.deepEqual(mailServerOf('smtps://[::1]:1465'), { host: '::1', port: 1465, isSecure: true, user: '', password: '' });
  for (const bad of ['http://mail', 'mail.example.com', 'smtp://', 'smtp://%zz:x@h']) assert.equal(mailServerOf(bad), undefined, bad);
});

test('faults of channels, rules and times are named with their place', () => {
  const mail = { type: 'email' as const, smtp_url: 'smtp://h/path', from: 'nobody', to: ['a@b.c', 'x'] };
  assert.deepEqual(
    channelFaults(mail, '****').map(({ field }) => field),
    ['channel.smtp_url', 'channel.from', 'channel.to[1]'],
  );
  const web = (url: string, secret?: string) =>
    channelFaults({ type: 'webhook', url, ...(secret !== undefined && { secret }) }, '****').map(({ field }) => field);
  assert.deepEqual(web('ftp://h'), ['channel.url']);
  assert.deepEqual(web('https://user:pw@h'), ['channel.url']);
  assert.deepEqual(web('https://h', 'whsec_short'), ['channel.secret']);
  assert.deepEqual(web('****', '****'), []);
  assert.deepEqual(web('https://h', `whsec_${Buffer.alloc(24).toString('base64')}`), []);
  const [twice] = ruleFaults([{ type: 'differs' }, { type: 'late' }, { type: 'late' }]);
  assert.equal(twice?.field, 'rules[2].type');
  const fields = timingFaults({ remind_every: '1m', quiet_hours: { from: '10:00', to: '10:00', timezone: 'Mars/Olympus' } }).map(
    ({ field }) => field,
  );
  assert.deepEqual(fields, ['remind_every', 'quiet_hours.to', 'quiet_hours.timezone']);
});
