import { Text } from '@mantine/core';
import { formatMoment, formatRelative } from './format.ts';
import { useNow } from './use-now.ts';

/** A time as people say it; the exact one when pointed at. */
export function RelativeTime({ time }: { time: string }) {
  return (
    <Text span inherit component="time" dateTime={time} title={formatMoment(time)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative(time, useNow())}
    </Text>
  );
}
