import type { ReactNode } from 'react';
import { Text } from '@mantine/core';
import { OutsideText, visible } from '../words/outside-text.tsx';
import { GridCell } from './grid/grid-cell.tsx';

/** A time by the clock of the reader, as the grids of data show it. */
export function MomentCell({ time }: { time: string }): ReactNode {
  return <GridCell cell={{ value: time }} kind="moment" />;
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
