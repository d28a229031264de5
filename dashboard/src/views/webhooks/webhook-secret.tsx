import { Stack, Text } from '@mantine/core';
import { ShownOnce } from '../../parts/action/shown-once.tsx';
import { RawText } from '../../parts/page/raw-text.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { verifyingCode } from './verifying-code.ts';

/** A webhook with the secret that only its making and its rotation show. */
export interface NewSecret {
  id: string;
  name: string;
  signature: 'symmetric' | 'ed25519';
  /** Null where the receiver needs the public key alone. */
  secret: string | null;
  public_key: string | null;
}

/** Shows the secret of a webhook this once, with what to do with it. */
export function WebhookSecret({ made, onClose }: { made: NewSecret; onClose: () => void }) {
  return (
    <ShownOnce
      {...(made.public_key === null
        ? {
            title: `The secret of ${visible(made.name)}`,
            values: { Secret: made.secret ?? '' },
            about: 'It is shown this once: the receiver needs it to know that a delivery comes from here. If it is lost, rotate it.',
          }
        : {
            title: `The public key of ${visible(made.name)}`,
            values: { 'Public key': made.public_key },
            about: 'The receiver needs it to know that a delivery comes from here. It is no secret: you can see it at any time.',
            call: 'Copy the public key',
            closing: 'Done',
          })}
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
      <RawText label="How to verify a delivery">{verifyingCode(publicKey)}</RawText>
    </Stack>
  );
}
