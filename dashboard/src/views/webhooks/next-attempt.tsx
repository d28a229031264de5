import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useNow } from '../../parts/words/use-now.ts';

/** When it is tried next. What is due waits for its turn, or for the receiver to answer again. */
export function NextAttempt({ time }: { time: string | null }) {
  const now = useNow();
  if (time === null) return '–';
  return Date.parse(time) <= now ? 'due' : <RelativeTime time={time} />;
}
