import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { OutsideText } from '../words/outside-text.tsx';

interface EmptyStateProps {
  /** What is not there, in a sentence. */
  title: string;
  /** Why that may be, and what to do next. */
  children?: ReactNode;
  /** Buttons that lead on. */
  actions?: ReactNode;
}

/** Says that there is nothing, why, and how to go on. */
export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600} maw="100%">
        <OutsideText>{title}</OutsideText>
      </Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" maw="56ch" component="div">
          {children}
        </Text>
      )}
      {actions !== undefined && (
        <Group gap="xs" justify="center" mt="xs">
          {actions}
        </Group>
      )}
    </Stack>
  );
}
