import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { FormLine } from './order-form.ts';

interface ChangeLinesProps {
  lines: readonly FormLine[];
  /** Why they cannot be changed; undefined when they can. */
  fixed: string | undefined;
  onChange: (lines: FormLine[]) => void;
}

/** The lines of an order, to be changed until something is shipped. */
export function ChangeLines({ lines, fixed, onChange }: ChangeLinesProps) {
  const put = (place: number, change: Partial<FormLine>): void =>
    onChange(lines.map((line, index) => (index === place ? { ...line, ...change } : line)));
  return (
    <Stack component="fieldset" gap="xs" m={0} p={0} style={{ border: 0 }}>
      <Text component="legend" fw={600} size="sm" p={0} mb={4}>
        Lines
      </Text>
      {fixed === undefined ? (
        <>
          <Text size="sm" c="dimmed">
            The total is computed anew when it is saved.
          </Text>
          {lines.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are known by their place, and may be alike
            <Group key={index} gap="xs" align="flex-end" wrap="wrap">
              {line.was ? (
                <Text size="sm" flex={1} miw={140} style={{ overflowWrap: 'anywhere' }}>
                  {index + 1}. <OutsideText>{line.was.name ?? line.product_id}</OutsideText>
                </Text>
              ) : (
                <TextInput
                  label={`Product of line ${index + 1}`}
                  flex={1}
                  miw={140}
                  maxLength={64}
                  value={line.product_id}
                  onChange={({ currentTarget }) => put(index, { product_id: currentTarget.value })}
                />
              )}
              <TextInput
                label="Quantity"
                aria-label={`Quantity of line ${index + 1}`}
                w={90}
                inputMode="numeric"
                value={line.quantity}
                onChange={({ currentTarget }) => put(index, { quantity: currentTarget.value })}
              />
              <TextInput
                label="Price"
                aria-label={`Price of line ${index + 1}`}
                w={110}
                inputMode="decimal"
                value={line.price}
                onChange={({ currentTarget }) => put(index, { price: currentTarget.value })}
              />
              <Button
                variant="default"
                size="xs"
                mb={3}
                aria-label={`Remove line ${index + 1}`}
                onClick={() => onChange(lines.filter((_, place) => place !== index))}
              >
                Remove
              </Button>
            </Group>
          ))}
          <Button
            variant="default"
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            onClick={() => onChange([...lines, { product_id: '', quantity: '1', price: '', was: undefined }])}
          >
            Add a line
          </Button>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {fixed}
        </Text>
      )}
    </Stack>
  );
}
