import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotable, withoutSecrets } from './redact.ts';

const slack = { type: 'slack', url: 'https://hooks.example.com/services/T0001/SE%2FCRET?token=hunter22&x=1' } as const;
const webhook = { type: 'webhook', url: 'https://h.example/', secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' } as const;
const email = {
  type: 'email',
  smtp_url: 'smtp://ada:pass%40word@mail.example.com',
  from: 'a@example.com',
  to: ['b@example.com'],
  ca: null,
} as const;

test('no spelling of an address or secret is quoted', () => {
  for (const said of [
    'Cannot POST /services/T0001/SE%2FCRET?token=hunter22&x=1',
    'Cannot POST /services/T0001/SE%2FCRET',
    'Cannot POST /services/T0001/SE/CRET?token=hunter22',
    '{"path":"\\/services\\/T0001\\/SE%2FCRET"}',
    '<a href="/services/T0001/SE%2FCRET?token=hunter22&amp;x=1">',
    'no such token: HUNTER22',
    'se/cret is unknown at hooks.example.com',
    'https://hooks.example.com/services/T0001/SE%2FCRET?token=hunter22&x=1',
  ])
    assert.doesNotMatch(quotable(slack, said), /cret|hunter22|hooks\.example/i, said);
  assert.equal(quotable(slack, 'Cannot POST /services/T0001/SE%2FCRET'), 'Cannot POST ********');
  assert.equal(quotable(webhook, 'bad secret C2FVsBQIhrscChlQIMV+b5sSYspob7oD'), 'bad secret ********');
  assert.equal(quotable(webhook, 'no/such / thing'), 'no/such / thing');
  for (const said of ['535 pass@word is wrong', `535 ${Buffer.from('\0ada\0pass@word').toString('base64')}`, '535 pass%40word'])
    assert.equal(quotable(email, said), '535 ********'.concat(said.endsWith('wrong') ? ' is wrong' : ''));
});

test('our own words name the host, and not the rest', () => {
  assert.equal(withoutSecrets(slack, 'Nothing answers at hooks.example.com:443.'), 'Nothing answers at hooks.example.com:443.');
  assert.equal(withoutSecrets(slack, 'bad: /services/T0001/SE%2FCRET'), 'bad: ********');
});
