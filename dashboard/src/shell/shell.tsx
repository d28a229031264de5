import { AppShell, Box, Burger, Group } from '@mantine/core';
import { Suspense, useDeferredValue, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { VIEWS } from '../navigation.ts';
import { wentBack } from '../parts/form/leaving.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { PageSkeleton } from '../parts/page/page-skeleton.tsx';
import { Brand } from './brand.tsx';
import { ConnectionNote } from './connection-note.tsx';
import { useMe } from './me.tsx';
import { FindButton } from './find-button.tsx';
import { useLoadedAhead } from './load-ahead.ts';
import { Navigation } from './navigation.tsx';
import { ShortcutKeys } from './shortcut-keys.tsx';
import { ViewBoundary } from './view-boundary.tsx';

const NotFound = lazyPart(async () => (await import('./not-found.tsx')).NotFound);

/** The frame around every view. */
export function Shell() {
  const [location] = useLocation();
  // The menu of a phone is open on one page: going on to another closes it.
  const [openOn, setOpenOn] = useState<string>();
  const opened = openOn === location;
  const { scopes } = useMe();
  const open = VIEWS.filter(
    (view) => view.scopes.length === 0 || scopes.includes('admin') || view.scopes.some((scope) => scopes.includes(scope)),
  );
  useLoadedAhead(open);
  // A click is answered at once, by the shape of a page: the view itself is drawn a moment later. The way back is drawn at once, so that the browser finds the place that it had.
  const drawn = useDeferredValue(location);
  const isDrawn = drawn === location || wentBack();
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#main" className="skip-link">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="md" gap="sm">
          <Burger
            opened={opened}
            onClick={() => setOpenOn(opened ? undefined : location)}
            size="sm"
            aria-label={opened ? 'Close the menu' : 'Open the menu'}
          />
          <Brand />
          <Box ml="auto">
            <FindButton />
          </Box>
        </Group>
      </AppShell.Header>
      <ShortcutKeys />
      <AppShell.Navbar>
        <Navigation views={open} />
      </AppShell.Navbar>
      <AppShell.Main id="main">
        <Box maw={1240} mx="auto">
          <ConnectionNote />
          <ViewBoundary key={location}>
            {isDrawn ? (
              <Suspense fallback={<PageSkeleton />}>
                <Switch>
                  {open.map(({ path, component }) => (
                    <Route key={path} path={path} component={component} />
                  ))}
                  <Route>
                    <NotFound />
                  </Route>
                </Switch>
              </Suspense>
            ) : (
              <PageSkeleton />
            )}
          </ViewBoundary>
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}
