import { Text } from '@mantine/core';
import { TextCell } from '../../parts/table/cells.tsx';

/** What an order is called in a list: by the number that people know it by, else by its id. */
export function OrderName({ id, number }: { id: string; number?: string | null | undefined }) {
  if (number != null) return <TextCell text={number} />;
  return (
    <Text span ff="monospace" size="xs">
      {id}
    </Text>
  );
}
