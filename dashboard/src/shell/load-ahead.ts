import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { View } from '../navigation.ts';

/** Milliseconds that nothing was asked for: what is shown now is there, and goes first. */
const QUIET = 700;

/**
 * Loads the code of the other views while nothing else is to be done, one after the other, so that the first visit of each is as quick as the second, and
 * can be shown while the service is away. A browser that was told to save data loads nothing ahead.
 */
export function useLoadedAhead(views: readonly View[]): void {
  const client = useQueryClient();
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (connection?.saveData) return undefined;
    // The views of the navigation are a click away.
    const ahead = [...views].sort((one, other) => Number(other.entry !== undefined) - Number(one.entry !== undefined));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (wait: number): void => {
      timer = setTimeout(() => (client.isFetching() > 0 ? later(QUIET) : whenIdle(() => void next())), wait);
    };
    const next = async (): Promise<void> => {
      const { component } = ahead.shift() ?? {};
      if (component && 'loadAhead' in component) await component.loadAhead();
      if (ahead.length > 0 && timer !== undefined) later(0);
    };
    later(QUIET);
    return () => {
      clearTimeout(timer);
      timer = undefined;
    };
    // What a key may see stays the same for as long as the page is signed in.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}

/** Safari has no word for it. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work);
  else setTimeout(work, 50);
}
