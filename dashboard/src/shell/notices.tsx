import { Suspense, useSyncExternalStore } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';
import { notices } from '../parts/notify.ts';

const Shown = lazyPart(async () => (await import('./shown-notices.tsx')).ShownNotices);

/** Where it is said that something was done, or why it was not. */
export function Notices() {
  const used = useSyncExternalStore(notices.subscribe, notices.used);
  return <Suspense>{used && <Shown />}</Suspense>;
}
