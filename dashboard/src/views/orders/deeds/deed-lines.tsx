import { NumberInput, Table, Text } from '@mantine/core';
import type { Order } from '../../../api/resources.ts';
import { OutsideText } from '../../../parts/words/outside-text.tsx';

interface DeedLinesProps {
  order: Order;
  /** How many pieces of each line are left. */
  left: readonly number[];
  quantities: readonly number[];
  onChange: (quantities: number[]) => void;
}

/** How many pieces of each line. Lines of which nothing is left are not shown. */
export function DeedLines({ order, left, quantities, onChange }: DeedLinesProps) {
  return (
    <Table aria-label="How many of each line">
      <Table.Tbody>
        {order.items.map((item, index) =>
          left[index] ? (
            // oxlint-disable-next-line react/no-array-index-key -- lines are known by their place, and may be alike
            <Table.Tr key={index}>
              <Table.Td>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {index + 1}. <OutsideText>{item.name ?? item.product_id}</OutsideText>
                </Text>
                <Text size="xs" c="dimmed">
                  {left[index]} of {item.quantity} left
                </Text>
              </Table.Td>
              <Table.Td w={120}>
                <NumberInput
                  aria-label={`Quantity of line ${index + 1}`}
                  min={0}
                  max={left[index]}
                  allowDecimal={false}
                  allowNegative={false}
                  clampBehavior="strict"
                  value={quantities[index] ?? 0}
                  onChange={(value) => onChange(quantities.map((old, place) => (place === index ? Number(value) : old)))}
                />
              </Table.Td>
            </Table.Tr>
          ) : null,
        )}
      </Table.Tbody>
    </Table>
  );
}
