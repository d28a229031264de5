import { Box, Button, Group, List, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { signOut } from '../api/session.ts';
import { KeyIcon, SignOutIcon } from '../parts/icons.tsx';
import { leave } from '../parts/form/leaving.ts';
import { OutsideText } from '../parts/words/outside-text.tsx';
import { RelativeTime } from '../parts/words/relative-time.tsx';
import { useMe } from './me.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** Whose key this is and what it may do, the colours, and the way out. */
export function AccountPanel() {
  const { name, scopes, expires_at } = useMe();
  return (
    <Box p="sm" style={{ borderTop: '1px solid var(--syncline-border)' }}>
      <Stack gap="xs">
        <ThemeSwitch />
        <Popover position="top-start" width={260} shadow="md" withArrow trapFocus>
          <Popover.Target>
            <UnstyledButton px={4} py={2} title="What this key may do">
              <Group gap={8} wrap="nowrap">
                <KeyIcon size={16} />
                <Box miw={0}>
                  <Text size="sm" truncate fw={500}>
                    <OutsideText>{name}</OutsideText>
                  </Text>
                  <Text size="xs" c="dimmed" truncate>
                    {scopes.includes('admin') ? 'May do everything' : scopes.join(', ')}
                  </Text>
                </Box>
              </Group>
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown>
            <Text size="sm" fw={600}>
              This key may
            </Text>
            <List size="sm" mb="xs">
              {(scopes.includes('admin') ? ['do everything (admin)'] : scopes).map((scope) => (
                <List.Item key={scope}>{scope}</List.Item>
              ))}
            </List>
            <Text size="xs" c="dimmed">
              {expires_at === null ? (
                'It does not expire.'
              ) : (
                <>
                  It expires <RelativeTime time={expires_at} />.
                </>
              )}{' '}
              It is kept for this tab only.
            </Text>
          </Popover.Dropdown>
        </Popover>
        <Button variant="default" size="xs" leftSection={<SignOutIcon size={14} />} onClick={() => leave(signOut)}>
          Sign out
        </Button>
      </Stack>
    </Box>
  );
}
