import { Text } from '@mantine/core';
import { formatMoment, formatRelative } from './format.ts';
import { useNow } from './use-now.ts';

/** A time as people say it; the exact one when pointed at. `isPast`: it is known to be over, and the clock of the page a few seconds behind. */
export function RelativeTime({ time, isPast = false }: { time: string; isPast?: boolean }) {
  const now = useNow();
  return (
    <Text span inherit component="time" dateTime={time} title={formatMoment(time)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative(time, isPast ? Math.max(now, Date.parse(time)) : now)}
    </Text>
  );
}
