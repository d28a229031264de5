import { Suspense, useSyncExternalStore } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';
import { notices } from '../parts/notify.ts';
import { ViewBoundary } from './view-boundary.tsx';

const Shown = lazyPart(async () => (await import('./shown-notices.tsx')).ShownNotices);

/** Where it is said that something was done, or why it was not. */
export function Notices() {
  const used = useSyncExternalStore(notices.subscribe, notices.used);
  // What cannot be said must not take the page with it.
  return (
    <ViewBoundary>
      <Suspense>{used && <Shown />}</Suspense>
    </ViewBoundary>
  );
}
