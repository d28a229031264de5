// Runs the code of docs/webhooks.md, as it stands there, on messages that we have signed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { verifyingCode } from '../dashboard/src/views/webhooks/verifying-code.ts';
import { newSigningSecret, publicKeyOf, signatureHeaders } from '../src/webhooks/signature.ts';

const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'syncline-webhook-docs-'));
after(() => rmSync(folder, { recursive: true }));

const BODY = JSON.stringify({ type: 'order.created', timestamp: '2026-11-01T09:30:00.000Z', data: { id: 'ord_1', name: 'Zoë' } });
/** What no sender of ours writes, and anyone may. */
const ODD: Record<string, string>[] = [
  { 'webhook-signature': '' },
  { 'webhook-signature': 'v1,é' },
  { 'webhook-signature': 'v1a,é' },
  { 'webhook-signature': 'v1a,AAAA v1,' },
  { 'webhook-timestamp': '²' },
  { 'webhook-timestamp': '-1' },
  { 'webhook-timestamp': '' },
];
const now = (): number => Math.floor(Date.now() / 1000);

function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
}

function signed(secret: string, at = now()): Record<string, string> {
  return signatureHeaders({ secrets: [{ id: '', secret, expiresAt: null }] }, 'evt_1', at, BODY);
}

async function loaded<Module>(name: string, code: string): Promise<Module> {
  const file = join(folder, name);
  writeFileSync(file, code);
  return (await import(pathToFileURL(file).href)) as Module;
}

test('the lines for Node take what is signed, and nothing else', async () => {
  const [code = ''] = blocks('js');
  type Verified = (secret: string, headers: Record<string, string>, body: string) => unknown;
  const { verified } = await loaded<{ verified: Verified }>('symmetric.mjs', code);
  const [secret, other] = [newSigningSecret('symmetric'), newSigningSecret('symmetric')];
  assert.deepEqual(verified(secret, signed(secret), BODY), JSON.parse(BODY));
  const both = { ...signed(secret), 'webhook-signature': `v1,AAAA ${signed(secret)['webhook-signature']}` };
  assert.deepEqual(verified(secret, both, BODY), JSON.parse(BODY));
  for (const headers of [
    signed(other),
    signed(secret, now() - 600),
    signed(secret, now() + 600),
    {},
    ...ODD.map((odd) => ({ ...signed(secret), ...odd })),
    { ...signed(secret), 'webhook-id': 'evt_2' },
  ])
    assert.equal(verified(secret, headers, BODY), undefined);
  assert.equal(verified(secret, signed(secret), `${BODY} `), undefined);
});

test('the lines for ed25519 do as well', async () => {
  const [, code = ''] = blocks('js');
  type IsSigned = (publicKey: string, headers: Record<string, string>, body: string) => boolean;
  const { isSigned } = await loaded<{ isSigned: IsSigned }>('asymmetric.mjs', code);
  const secret = newSigningSecret('ed25519');
  assert.equal(isSigned(publicKeyOf(secret) ?? '', signed(secret), BODY), true);
  assert.equal(isSigned(publicKeyOf(secret) ?? '', signed(secret), `${BODY} `), false);
  assert.equal(isSigned(publicKeyOf(newSigningSecret('ed25519')) ?? '', signed(secret), BODY), false);
  for (const headers of [{}, signed(secret, now() - 600), ...ODD.map((odd) => ({ ...signed(secret), ...odd }))])
    assert.equal(isSigned(publicKeyOf(secret) ?? '', headers, BODY), false);
});

test('the lines on the page do as well', async () => {
  type Verified = (headers: Record<string, string>, body: string) => unknown;
  for (const kind of ['symmetric', 'ed25519'] as const) {
    const [secret, other] = [newSigningSecret(kind), newSigningSecret(kind)];
    process.env['WEBHOOK_SECRET'] = secret;
    const code = verifyingCode(publicKeyOf(secret)).replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`);
    const { verified } = await loaded<{ verified: Verified }>(`page-${kind}.mjs`, code);
    assert.deepEqual(verified(signed(secret), BODY), JSON.parse(BODY));
    assert.equal(verified(signed(secret), `${BODY} `), undefined);
    for (const headers of [signed(other), signed(secret, now() - 600), {}, ...ODD.map((odd) => ({ ...signed(secret), ...odd }))])
      assert.equal(verified(headers, BODY), undefined);
  }
});

test('the lines for Python do as well', (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('there is no Python here');
  const [code = ''] = blocks('python');
  const secret = newSigningSecret('symmetric');
  const cases = [
    signed(secret),
    signed(newSigningSecret('symmetric')),
    signed(secret, now() - 600),
    {},
    ...ODD.map((odd) => ({ ...signed(secret), ...odd })),
  ];
  writeFileSync(join(folder, 'verify.py'), code);
  const asking =
    'import json, sys, verify; s, b, c = json.load(sys.stdin); print(json.dumps([verify.verified(s, h, b.encode()) for h in c]))';
  const { stdout, stderr } = spawnSync('python3', ['-c', asking], {
    cwd: folder,
    input: JSON.stringify([secret, BODY, cases]),
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(stdout || 'null'), [JSON.parse(BODY), ...cases.slice(1).map(() => null)], stderr);
});
