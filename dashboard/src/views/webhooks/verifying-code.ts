/** What a receiver written for Node does to know that a delivery comes from here. */
export function verifyingCode(publicKey: string | null): string {
  return publicKey === null ? SYMMETRIC : asymmetric(publicKey);
}

const SYMMETRIC = `import { Webhook } from 'standardwebhooks';

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);
// body: the bytes as they came, not parsed yet. It throws when the signature is wrong.`;

function asymmetric(publicKey: string): string {
  return `import { createPublicKey, verify } from 'node:crypto';

const x = Buffer.from('${publicKey.slice('whpk_'.length)}', 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
const signed = Buffer.from(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`);
const isOurs = (headers['webhook-signature'] ?? '').split(' ').some((one) =>
  one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
// body: the text as it came, not parsed yet. Refuse timestamps that are older than five minutes.`;
}
