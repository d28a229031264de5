import { Center, Container } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../api/queries.ts';
import { ChangesProvider } from '../api/changes.tsx';
import { useSession } from '../api/session.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { PageSkeleton } from '../parts/page-skeleton.tsx';
import { SignIn } from '../views/sign-in/sign-in.tsx';
import { MeProvider } from './me.tsx';
import { Shell } from './shell.tsx';

/** Either the sign-in page or everything else. */
export function App() {
  const { key } = useSession();
  const client = useQueryClient();
  // What one key may see is nothing for the next.
  useEffect(() => {
    if (key === undefined) client.clear();
  }, [key, client]);
  return key === undefined ? <SignIn /> : <SignedIn key={key} />;
}

function SignedIn() {
  const { data, error, refetch } = useApi('GET /api/v1/me', {});
  if (data) {
    return (
      <MeProvider me={data.data}>
        <ChangesProvider>
          <Shell />
        </ChangesProvider>
      </MeProvider>
    );
  }
  return error ? (
    <Center mih="100vh" p="md">
      <ErrorState error={error} retry={refetch} />
    </Center>
  ) : (
    <Waiting />
  );
}

function Waiting() {
  return (
    <Container py="xl">
      <PageSkeleton />
    </Container>
  );
}
