import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../parts/action/copy-button.tsx';
import { visible } from '../../parts/words/outside-text.tsx';

export interface ShownSecret {
  name: string;
  key: string;
}

/** Shows a new key: this once, as the service itself does not keep it. It does not close by accident. */
export function SecretDialog({ secret: { name, key }, onClose }: { secret: ShownSecret; onClose: () => void }) {
  const [isRefused, setIsRefused] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={`The key of ${visible(name)}`}
      centered
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert variant="outline" color="orange" className="surface" title="Copy it now">
          It is shown this once. Syncline keeps only a fingerprint of it and cannot show it again. If it is lost, rotate the key.
        </Alert>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label="Key"
            readOnly
            flex={1}
            value={key}
            data-autofocus
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            onFocus={({ currentTarget }) => currentTarget.select()}
            error={isRefused ? 'The browser does not let this page copy: select it and copy it by hand.' : undefined}
            errorProps={{ role: 'alert' }}
          />
          <CopyButton text={key} onCopied={(worked) => setIsRefused(!worked)} miw={110} />
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            I have stored it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
