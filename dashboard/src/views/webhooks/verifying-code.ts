/** What a receiver written for Node does to know that a delivery comes from here. What does not is refused; nothing is thrown. */
export function verifyingCode(publicKey: string | null): string {
  return publicKey === null ? SYMMETRIC : asymmetric(publicKey);
}

const ABOUT = `// The event, or undefined when it does not come from here: answer 401 then.
// body: the text as it came, not parsed yet.`;

const SYMMETRIC = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
${ABOUT}
export function verified(headers, body) {
  try {
    return webhook.verify(body, headers);
  } catch {
    return undefined;
  }
}`;

function asymmetric(publicKey: string): string {
  return `import { createPublicKey, verify } from 'node:crypto';

const x = Buffer.from('${publicKey.slice('whpk_'.length)}', 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
${ABOUT}
export function verified(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return undefined;
  const signed = Buffer.from(\`\${id}.\${at}.\${body}\`);
  const isOurs = signatures.split(' ').some((one) =>
    one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
  return isOurs ? JSON.parse(body) : undefined;
}`;
}
