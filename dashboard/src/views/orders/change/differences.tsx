import { Table, Text } from '@mantine/core';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { OrderDifference } from './order-form.ts';

/** What will be another when it is saved. */
export function Differences({ differences }: { differences: readonly OrderDifference[] }) {
  if (differences.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing is changed yet. What you change is shown here before it is saved.
      </Text>
    );
  }
  return (
    <Table.ScrollContainer type="native" minWidth={320} tabIndex={0} aria-label="What will change" role="region">
      <Table aria-label="What will change" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">What will change</Table.Th>
            <Table.Th scope="col">From</Table.Th>
            <Table.Th scope="col">To</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ name, before, after }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Value text={before} />
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Value text={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Value({ text }: { text: string }) {
  if (text === '') {
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  }
  return <OutsideText>{text}</OutsideText>;
}
