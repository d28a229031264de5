import { Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatMoment, formatRelative } from './format.ts';

const TICK = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all of them. It asks nobody; it only makes "1 minute ago" become "2 minutes ago". */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  // Nobody has listened for a while: it stands still and is put right first.
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A time as people say it; the exact one when pointed at. */
export function RelativeTime({ time }: { time: string }) {
  const current = useSyncExternalStore(listen, () => now);
  return (
    <Text span inherit component="time" dateTime={time} title={formatMoment(time)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative(time, current)}
    </Text>
  );
}
