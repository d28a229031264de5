import { Alert, Anchor, Box, Button, Center, Code, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, sentenceOf } from '../../api/errors.ts';
import { useSession } from '../../api/session.ts';
import { signIn } from '../../api/sign.ts';
import { Brand } from '../../shell/brand.tsx';

/** Asks for a key and tries it. */
export function SignIn() {
  const { notice } = useSession();
  const [key, setKey] = useState('');
  const [error, setError] = useState<string>();
  const [trying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    document.title = 'Sign in · Syncline';
  }, []);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const given = key.trim();
    if (given === '') {
      setError('Enter a key.');
      return;
    }
    setTrying(true);
    try {
      await signIn(given);
    } catch (fault) {
      setError(
        fault instanceof ApiError && fault.status === 401
          ? 'This key is not valid here. It may be mistyped, expired or revoked.'
          : sentenceOf(fault),
      );
      setTrying(false);
    }
  };

  return (
    <Center mih="100vh" p="md">
      <Box component="main" w="100%" maw={420}>
        <Stack gap="lg">
          <Brand />
          <Box className="surface" p="lg">
            <form onSubmit={(event) => void submit(event)} noValidate>
              <Stack>
                <Box>
                  <Title order={1}>Sign in</Title>
                  <Text c="dimmed" size="sm">
                    With an API key. This browser stays signed in, in all tabs; the key itself is not kept.
                  </Text>
                </Box>
                {notice !== undefined && (
                  <Alert variant="outline" color="orange" role="status">
                    {notice}
                  </Alert>
                )}
                <PasswordInput
                  label="API key"
                  placeholder="slk_…"
                  name="key"
                  autoComplete="off"
                  spellCheck={false}
                  ref={field}
                  value={key}
                  onChange={(event) => {
                    setKey(event.currentTarget.value);
                    setError(undefined);
                  }}
                  error={error}
                />
                <Button type="submit" loading={trying}>
                  Sign in
                </Button>
              </Stack>
            </form>
          </Box>
          <Text size="sm" c="dimmed">
            Where do I find one? The first start prints an admin key and keeps it in <Code>data/admin-key</Code>. With it you can make
            others. The <Anchor href="/docs">API reference</Anchor> needs no key.
          </Text>
        </Stack>
      </Box>
    </Center>
  );
}
