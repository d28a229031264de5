import { Drawer, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../action/copy-button.tsx';
import { RawText } from '../../page/raw-text.tsx';
import { OutsideText } from '../../words/outside-text.tsx';
import type { GridValue } from './grid-column.ts';
import { localTime, textOf, type ValueKind } from './grid-values.ts';

interface ValueDrawerProps {
  name: string;
  type: string | undefined;
  kind: ValueKind;
  cell: GridValue;
  onClose: () => void;
}

/** A value in full, as it is, to read and to copy. */
export function ValueDrawer({ name, type, kind, cell: { value, before }, onClose }: ValueDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={<OutsideText>{name}</OutsideText>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="lg">
        {type !== undefined && (
          <Text size="sm" c="dimmed">
            {type}
          </Text>
        )}
        {before && <Whole title="Before" kind={kind} value={before.value} />}
        <Whole title={before ? 'After' : 'Value'} kind={kind} value={value} />
      </Stack>
    </Drawer>
  );
}

function Whole({ title, kind, value }: { title: string; kind: ValueKind; value: unknown }) {
  const text = textOf(value);
  const local = kind === 'moment' && text !== null ? localTime(text) : undefined;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {title}
        </Text>
        {text !== null && <CopyButton text={text} size="compact-sm" variant="default" />}
      </Group>
      {text === null ? (
        <Text size="sm">
          There is no value: <span className="grid-none">null</span>
        </Text>
      ) : text === '' ? (
        <Text size="sm">An empty text, which is not null.</Text>
      ) : (
        <RawText label={title}>{text}</RawText>
      )}
      {local !== undefined && (
        <Text size="sm" c="dimmed">
          {local} by the clock of this browser
        </Text>
      )}
    </Stack>
  );
}
