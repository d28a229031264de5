import { useCallback, useEffect, useRef } from 'react';
import { call } from '../../api/client.ts';

/** Milliseconds; the service keeps ready what asks systems for a minute. */
const AGAIN = 30_000;

/** A source will probably be asked what it has: the service makes itself ready meanwhile, now and whenever the answer is called after a while. */
export function useReadySources(): () => void {
  const last = useRef(Number.NEGATIVE_INFINITY);
  const makeReady = useCallback((): void => {
    if (performance.now() - last.current < AGAIN) return;
    last.current = performance.now();
    // Nothing depends on it.
    void call('GET /api/v1/datasync/sources', { query: { limit: 100, ready: 'true' } }).catch(() => undefined);
  }, []);
  useEffect(makeReady, [makeReady]);
  return makeReady;
}
