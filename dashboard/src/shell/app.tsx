import { Center, Container } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Router } from 'wouter';
import { useApi } from '../api/queries.ts';
import { ChangesProvider } from '../api/changes.tsx';
import { confirmSession, useSession } from '../api/session.ts';
import { ErrorState } from '../parts/page/error-state.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { leave } from '../parts/form/leaving.ts';
import { PageSkeleton } from '../parts/page/page-skeleton.tsx';
import { MeProvider } from './me.tsx';
import { Shell } from './shell.tsx';
import { ViewBoundary } from './view-boundary.tsx';

// After signing in it is not needed.
const SignIn = lazyPart(async () => (await import('../views/sign-in/sign-in.tsx')).SignIn);

/** Either the sign-in page or everything else. */
export function App() {
  const { state, number } = useSession();
  const client = useQueryClient();
  // What one key may see is nothing for the next.
  useEffect(() => {
    if (state === 'out') client.clear();
  }, [state, client]);
  if (state !== 'out') return <SignedIn key={number} />;
  return (
    <ViewBoundary>
      <Suspense fallback={<Waiting />}>
        <SignIn />
      </Suspense>
    </ViewBoundary>
  );
}

function SignedIn() {
  const { data, error, refetch } = useApi('GET /api/v1/me', {});
  useEffect(() => {
    if (data) confirmSession();
  }, [data]);
  if (data) {
    return (
      <MeProvider me={data.data}>
        <ChangesProvider>
          <Router aroundNav={(navigate, to, options) => leave(() => navigate(to, options))}>
            <Shell />
          </Router>
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
