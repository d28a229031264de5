import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';
import { ViewBoundary } from './view-boundary.tsx';

// Nobody waits for these: they come with the first use.
const Palette = lazyPart(async () => (await import('./palette/palette.tsx')).Palette);
const Shortcuts = lazyPart(async () => (await import('./palette/shortcuts.tsx')).Shortcuts);

type Open = 'palette' | 'shortcuts';

/** What a key opens: Ctrl+K and ⌘K the finder, `?` the list of shortcuts, unless one is typing. */
function openedBy(event: KeyboardEvent): Open | undefined {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') return 'palette';
  const types = event.target instanceof HTMLElement && event.target.matches('input, textarea, select, [contenteditable="true"]');
  return event.key === '?' && !types && !event.ctrlKey && !event.metaKey ? 'shortcuts' : undefined;
}

const OPEN_PALETTE = 'syncline:find';

/** Opens the finder, from a button. */
export function openPalette(): void {
  globalThis.dispatchEvent(new Event(OPEN_PALETTE));
}

/** Listens for the keys of the whole page. */
export function ShortcutKeys() {
  const [open, setOpen] = useState<Open>();
  const [wasOpen, setWasOpen] = useState<ReadonlySet<Open>>(new Set());
  useEffect(() => {
    const show = (what: Open): void => {
      setWasOpen((before) => new Set([...before, what]));
      setOpen(what);
    };
    const onKey = (event: KeyboardEvent): void => {
      const what = openedBy(event);
      // Another dialog that is open has the keys: its answer may be waited for.
      if (what === undefined || document.querySelector('[role="dialog"]:not(.palette)') !== null) return;
      event.preventDefault();
      show(what);
    };
    const onFind = (): void => show('palette');
    globalThis.addEventListener('keydown', onKey);
    globalThis.addEventListener(OPEN_PALETTE, onFind);
    return () => {
      globalThis.removeEventListener('keydown', onKey);
      globalThis.removeEventListener(OPEN_PALETTE, onFind);
    };
  }, []);
  const close = (): void => setOpen(undefined);
  return (
    <ViewBoundary>
      <Suspense>
        {wasOpen.has('palette') && <Palette opened={open === 'palette'} onClose={close} />}
        {wasOpen.has('shortcuts') && <Shortcuts opened={open === 'shortcuts'} onClose={close} />}
      </Suspense>
    </ViewBoundary>
  );
}
