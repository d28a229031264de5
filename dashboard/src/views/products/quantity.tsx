import { Text } from '@mantine/core';
import { formatCount } from '../../parts/words/format.ts';

/** How many there are; none is said in a word, not by a colour alone. */
export function Stock({ quantity }: { quantity: number }) {
  if (quantity > 0) return formatCount(quantity);
  return (
    <Text span inherit c="var(--status-warning)">
      sold out
    </Text>
  );
}
