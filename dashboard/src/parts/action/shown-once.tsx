import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Note } from '../status/note.tsx';

interface ShownOnceProps {
  title: string;
  /** What is shown, by what it is called. */
  values: Readonly<Record<string, string>>;
  /** Why it cannot be shown again, and what to do when it is lost. */
  about: string;
  /** What the reader is asked to do. */
  call?: string;
  closing?: string;
  onClose: () => void;
  /** What to do with it. */
  children?: ReactNode;
}

/** Shows what is secret and new: this once. It does not close by accident. */
export function ShownOnce({ title, values, about, call = 'Copy it now', closing = 'I have stored it', onClose, children }: ShownOnceProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Note tone="warning" title={call}>
          {about}
        </Note>
        {Object.entries(values).map(([label, value], place) => (
          <Shown key={label} label={label} value={value} isFirst={place === 0} />
        ))}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {closing}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Shown({ label, value, isFirst }: { label: string; value: string; isFirst: boolean }) {
  const [isRefused, setIsRefused] = useState(false);
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        readOnly
        flex={1}
        value={value}
        {...(isFirst && { 'data-autofocus': true })}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={({ currentTarget }) => currentTarget.select()}
        error={isRefused ? 'The browser does not let this page copy: select it and copy it by hand.' : undefined}
        errorProps={{ role: 'alert' }}
      />
      <CopyButton text={value} onCopied={(worked) => setIsRefused(!worked)} miw={110} />
    </Group>
  );
}
