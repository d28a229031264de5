import { Code } from '@mantine/core';

/** A description of a schema: what stands between backticks is code. */
export function Described({ text }: { text: string }) {
  // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
  return text.split('`').map((part, place) => (place % 2 === 1 ? <Code key={place}>{part}</Code> : part));
}
