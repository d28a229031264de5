import { Text } from '@mantine/core';
import { OutsideText } from '../words/outside-text.tsx';

const LONGEST = 200;

/** A value of a row, whatever it is: text as text, no value as "null", everything else as JSON. */
export function CellValue({ value }: { value: unknown }) {
  if (value === null || value === undefined) {
    return (
      <Text span inherit c="dimmed" fs="italic">
        null
      </Text>
    );
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <OutsideText>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</OutsideText>;
}
