import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { OutsideText } from '../words/outside-text.tsx';

interface SectionProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Tables reach the edges; everything else keeps a distance. */
  flush?: boolean;
  children: ReactNode;
}

/** A part of a page with a title: a card. */
export function Section({ title, about, actions, flush = false, children }: SectionProps) {
  const id = useId();
  return (
    <Box component="section" aria-labelledby={id} className="surface">
      <Group justify="space-between" align="flex-start" gap="xs" px="md" pt="sm" pb="xs">
        <Box>
          <Title order={2} id={id}>
            <OutsideText>{title}</OutsideText>
          </Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm">
              {about}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      <Box px={flush ? 0 : 'md'} pb={flush ? 0 : 'md'}>
        {children}
      </Box>
    </Box>
  );
}
