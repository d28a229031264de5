import { Stack, Text } from '@mantine/core';
import { ShownOnce } from '../../parts/action/shown-once.tsx';
import { RawText } from '../../parts/page/raw-text.tsx';
import { visible } from '../../parts/words/outside-text.tsx';

/** A webhook with the secret that only its making and its rotation show. */
export interface NewSecret {
  id: string;
  name: string;
  signature: 'symmetric' | 'ed25519';
  secret: string;
  public_key: string | null;
}

/** Shows the secret of a webhook this once, with what to do with it. */
export function WebhookSecret({ made, onClose }: { made: NewSecret; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The secret of ${visible(made.name)}`}
      values={{ ...(made.public_key !== null && { 'Public key': made.public_key }), Secret: made.secret }}
      about={
        made.public_key === null
          ? 'It is shown this once: the receiver needs it to know that a delivery comes from here. If it is lost, rotate it.'
          : 'The receiver needs the public key, which you can see at any time. The secret is shown this once, and seldom needed: it signs, and is kept here.'
      }
      onClose={onClose}
    >
      <VerifyHint publicKey={made.public_key} />
    </ShownOnce>
  );
}

/** How the receiver checks that a delivery comes from here. */
export function VerifyHint({ publicKey }: { publicKey: string | null }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        To verify: give the receiver {publicKey === null ? 'the secret' : 'the public key'} and check the headers webhook-id,
        webhook-timestamp and webhook-signature as Standard Webhooks says. A message that comes twice has the same webhook-id.
      </Text>
      <RawText label="How to verify a delivery">{publicKey === null ? SYMMETRIC : asymmetric(publicKey)}</RawText>
    </Stack>
  );
}

const SYMMETRIC = `import { Webhook } from 'standardwebhooks';

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);
// body: the bytes as they came, not parsed yet. It throws when the signature is wrong.`;

function asymmetric(publicKey: string): string {
  return `import { createPublicKey, verify } from 'node:crypto';

const x = Buffer.from('${publicKey.slice('whpk_'.length)}', 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
const signed = Buffer.from(\`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`);
const isOurs = headers['webhook-signature'].split(' ').some((one) =>
  one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
// body: the text as it came, not parsed yet. Refuse timestamps that are older than five minutes.`;
}
