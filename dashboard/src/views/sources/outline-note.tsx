import { List, Text } from '@mantine/core';
import type { Outline } from '../../api/resources.ts';
import { plural } from '../../parts/words/format.ts';
import { Note } from '../../parts/status/note.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';

/** What a configuration tells of its streams before anything is connected to. */
export function OutlineNote({ outline }: { outline: Outline }) {
  const { streams, is_partial, unreadable } = outline;
  const count = `${plural(streams.length, 'stream')} can be read${is_partial ? ', and more that only the API knows' : ''}.`;
  if (unreadable.length === 0)
    return (
      <Text size="sm" c="dimmed" role="status">
        {count}
      </Text>
    );
  return (
    <Note tone="warning" title="Not all of it can be read" role="status">
      <Text size="sm">{count} These cannot be:</Text>
      <List size="sm" mt={4}>
        {unreadable.map(({ name, reason }) => (
          <List.Item key={name}>
            <OutsideText>{`${name}: ${reason}`}</OutsideText>
          </List.Item>
        ))}
      </List>
    </Note>
  );
}
