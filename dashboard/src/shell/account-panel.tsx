import { Box, Button, Group, List, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { sentenceOf } from '../api/errors.ts';
import { signOut } from '../api/sign.ts';
import { notifyFailed } from '../parts/action/notify.ts';
import { KeyIcon, SignOutIcon } from '../parts/icons.tsx';
import { leave } from '../parts/form/leaving.ts';
import { OutsideText } from '../parts/words/outside-text.tsx';
import { RelativeTime } from '../parts/words/relative-time.tsx';
import { useMe } from './me.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

function goOut(how: { everywhere?: boolean } = {}): void {
  leave(() => void signOut(how).catch((error: unknown) => notifyFailed(`You are still signed in: ${sentenceOf(error)}`)));
}

/** Whose key this is and what it may do, the colours, and the way out. */
export function AccountPanel() {
  const { id, scopes, expires_at, ...me } = useMe();
  // Whom an issuer vouches for is called by its address and by what it calls the person.
  const [issuer, person] = id.startsWith('http') ? [id.slice(0, id.indexOf('|')), id.slice(id.indexOf('|') + 1)] : [];
  const name = person ?? me.name;
  return (
    <Box p="sm" style={{ borderTop: '1px solid var(--syncline-border)' }}>
      <Stack gap="xs">
        <ThemeSwitch />
        <Popover position="top-start" width={260} shadow="md" withArrow trapFocus>
          <Popover.Target>
            <UnstyledButton px={4} py={2} title={issuer === undefined ? 'What this key may do' : 'What you may do'}>
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
              {issuer === undefined ? 'This key may' : 'You may'}
            </Text>
            <List size="sm" mb="xs">
              {(scopes.includes('admin') ? ['do everything (admin)'] : scopes).map((scope) => (
                <List.Item key={scope}>{scope}</List.Item>
              ))}
            </List>
            <Text size="xs" c="dimmed">
              <Ending issuer={issuer} expiresAt={expires_at} />
            </Text>
            <Button mt="sm" fullWidth variant="default" size="xs" onClick={() => goOut({ everywhere: true })}>
              Sign out everywhere
            </Button>
          </Popover.Dropdown>
        </Popover>
        <Button variant="default" size="xs" leftSection={<SignOutIcon size={14} />} onClick={() => goOut()}>
          Sign out
        </Button>
      </Stack>
    </Box>
  );
}

function Ending({ issuer, expiresAt }: { issuer: string | undefined; expiresAt: string | null }) {
  if (issuer !== undefined) {
    return (
      <>
        <OutsideText>{issuer}</OutsideText> says so, as of your sign-in. This browser is signed in, in all tabs.
      </>
    );
  }
  return (
    <>
      {expiresAt === null ? (
        'It does not expire.'
      ) : (
        <>
          It expires <RelativeTime time={expiresAt} />.
        </>
      )}{' '}
      This browser is signed in with it, in all tabs.
    </>
  );
}
