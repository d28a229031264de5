import { Anchor, Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { OutsideText, visible } from '../words/outside-text.tsx';

interface PageHeaderProps {
  title: string;
  /** An id by which it is called: small enough for one line on a phone. */
  id?: string | undefined;
  /** One sentence: what this page is for, or how the thing on it is. */
  about?: ReactNode;
  /** Where a detail page belongs. */
  parent?: { label: string; href: string };
  /** Buttons, right of the title. */
  actions?: ReactNode;
}

/** The head of every page. It takes the focus when the page comes, so that a screen reader says where one is. */
export function PageHeader({ title, id, about, parent, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${visible(id === undefined ? title : `${title} ${id}`)} · Syncline`;
  }, [title, id]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Box component="header" mb="lg">
      {parent && (
        <Anchor component={Link} href={parent.href} size="sm">
          ← {parent.label}
        </Anchor>
      )}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box style={{ flex: '1 1 22rem', minWidth: 0 }}>
          <Title order={1} ref={heading} tabIndex={-1}>
            <OutsideText>{title}</OutsideText>
            {id !== undefined && (
              <>
                {' '}
                <Text span ff="monospace" size="sm" fw={500}>
                  <OutsideText>{id}</OutsideText>
                </Text>
              </>
            )}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm" mt={2} maw="90ch" style={{ textWrap: 'pretty' }}>
              {about}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
    </Box>
  );
}
