import { Alert, Anchor, Box, Button, Center, Code, Divider, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { ApiError, sentenceOf } from '../../api/errors.ts';
import { endedSignIn, useSession } from '../../api/session.ts';
import { oidcWay, type OidcWay, signIn } from '../../api/sign.ts';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Brand } from '../../shell/brand.tsx';
import { endedWords } from './ended-words.ts';

/** Lets a person in: at the issuer, where one is set, or with a key, which is tried. */
export function SignIn() {
  const { notice } = useSession();
  // Undefined until the service has said what there is: nothing is to jump under the pointer.
  const [way, setWay] = useState<OidcWay | null>();
  useEffect(() => {
    document.title = 'Sign in · Syncline';
    void oidcWay().then(setWay);
  }, []);
  if (way === undefined) return <Waiting />;
  const ended = endedSignIn();
  const told = notice ?? (ended && endedWords(ended, way?.name ?? 'The issuer'));

  return (
    <Center mih="100vh" p="md">
      <Box component="main" w="100%" maw={420}>
        <Stack gap="lg">
          <Brand />
          <Box className="surface" p="lg">
            <Stack>
              <Box>
                <Title order={1}>Sign in</Title>
                <Text c="dimmed" size="sm">
                  {way === null && 'With an API key. '}This browser stays signed in, in all tabs
                  {way === null && '; the key itself is not kept'}.
                </Text>
              </Box>
              {told !== undefined && (
                <Alert variant="outline" color="orange" role="status">
                  <OutsideText>{told}</OutsideText>
                </Alert>
              )}
              {way !== null && <AtIssuer way={way} />}
              <WithKey isOnly={way === null} />
            </Stack>
          </Box>
          <Text size="sm" c="dimmed">
            Where do I find {way === null ? 'one' : 'a key'}? The first start prints an admin key and keeps it in{' '}
            <Code>data/admin-key</Code>. With it you can make others. The <Anchor href="/docs">API reference</Anchor> needs no key.
          </Text>
        </Stack>
      </Box>
    </Center>
  );
}

/** The frame alone, while the service says what there is: on a slow network an empty page looks broken. */
function Waiting() {
  return (
    <Center mih="100vh" p="md">
      <Box component="main" w="100%" maw={420}>
        <Stack gap="lg">
          <Brand />
          <Box className="surface" p="lg">
            <PageSkeleton lines={4} />
          </Box>
        </Stack>
      </Box>
    </Center>
  );
}

/** Milliseconds after which it can be tried again: a browser does not tell that a page which takes long was given up. */
const PATIENCE = 10_000;

/** Whether the browser is on its way to another page. */
function useLeaving(): [boolean, (isLeaving: boolean) => void] {
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    // Who comes back by the button of the browser finds the page as it was left.
    const isBack = (): void => setLeaving(false);
    addEventListener('pageshow', isBack);
    return () => removeEventListener('pageshow', isBack);
  }, []);
  useEffect(() => {
    if (!leaving) return undefined;
    const timer = setTimeout(() => setLeaving(false), PATIENCE);
    return () => clearTimeout(timer);
  }, [leaving]);
  return [leaving, setLeaving];
}

/** A link and no script: the browser goes there, and comes back to the view that it is at. */
function AtIssuer({ way }: { way: OidcWay }) {
  const [leaving, setLeaving] = useLeaving();
  const target = `${way.url}?return_to=${encodeURIComponent(location.pathname + location.search)}`;
  return (
    <>
      <Button component="a" href={target} loading={leaving} onClick={(event) => setLeaving(!opensElsewhere(event))}>
        <span className="sign-in-way">
          Sign in with <OutsideText>{way.name}</OutsideText>
        </span>
      </Button>
      <Divider label="or with an API key, which is not kept" />
    </>
  );
}

/** In another tab or window: this one stays. */
function opensElsewhere({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey || altKey;
}

function WithKey({ isOnly }: { isOnly: boolean }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState<string>();
  const [trying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isOnly) field.current?.focus();
  }, [isOnly]);

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
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
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
        <Button type="submit" loading={trying} variant={isOnly ? 'filled' : 'default'}>
          Sign in{isOnly ? '' : ' with the key'}
        </Button>
      </Stack>
    </form>
  );
}
