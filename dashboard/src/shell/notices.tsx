import { Suspense, useEffect, useSyncExternalStore } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';
import { notices } from '../parts/action/notify.ts';
import { ViewBoundary } from './view-boundary.tsx';

const Shown = lazyPart(async () => (await import('./shown-notices.tsx')).ShownNotices);

/** Milliseconds in which a view has loaded what it needs first. */
const SETTLED = 1500;

/** Where it is said that something was done, or why it was not. */
export function Notices() {
  const wanted = useSyncExternalStore(notices.subscribe, notices.wanted);
  // Before there is anything to say: that the service is away could not be said if it were loaded only then.
  useEffect(() => {
    const timer = setTimeout(notices.want, SETTLED);
    return () => clearTimeout(timer);
  }, []);
  // What cannot be said must not take the page with it.
  return (
    <ViewBoundary>
      <Suspense>{wanted && <Shown />}</Suspense>
    </ViewBoundary>
  );
}
