import type { ReactNode } from 'react';
import { Text } from '@mantine/core';
import { formatMinute, formatMoment } from '../words/format.ts';
import { OutsideText, visible } from '../words/outside-text.tsx';

/** A time by the clock of the reader, to the minute: what is more exact is told when pointed at, and by the page of the thing. */
export function MomentCell({ time }: { time: string }): ReactNode {
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {formatMinute(time)}
    </time>
  );
}

/** A text of others; a dash where there is none. What is cut off is told when pointed at. */
export function TextCell({ text }: { text: string | null | undefined }): ReactNode {
  if (text == null) {
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  }
  return (
    <span title={visible(text.slice(0, 500))}>
      <OutsideText>{text}</OutsideText>
    </span>
  );
}
