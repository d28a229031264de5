import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useNow } from '../../parts/words/use-now.ts';

/** When it is tried next. What is due waits for its turn, or for the receiver to answer again. */
export function NextAttempt({ time, isActive }: { time: string | null; isActive: boolean }) {
  const now = useNow();
  if (time === null) return '–';
  // Nothing is sent to one that is paused or disabled: the time that is stored will not come.
  if (!isActive) return 'when resumed';
  return Date.parse(time) <= now ? 'due' : <RelativeTime time={time} />;
}
