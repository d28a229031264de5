import { Stack, Text } from '@mantine/core';
import type { Data } from '../../api/client.ts';
import { ShownOnce } from '../../parts/action/shown-once.tsx';
import { MASK } from '../../parts/form/mask.ts';
import { visible } from '../../parts/words/outside-text.tsx';
import { SetUpSteps } from './set-up-steps.tsx';

/** A hook with what only its making and its rotation show: the address, and a secret that was made here. */
export type MadeHook = Data<'POST /api/v1/datasync/hooks'>;

/** Shows the address of a hook this once, with what to do with it at the sender. */
export function HookAddress({ made: { name, scheme, url, secret }, onClose }: { made: MadeHook; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The address of ${visible(name)}`}
      values={{
        ...(url !== null && { Address: new URL(url, location.origin).href }),
        ...(secret !== null && secret !== MASK && { Secret: secret }),
      }}
      about="It is shown this once, as it lets others call in. Syncline keeps only a fingerprint of the address. If it is lost, rotate it."
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          At the sender:
        </Text>
        <SetUpSteps scheme={scheme} />
      </Stack>
    </ShownOnce>
  );
}
