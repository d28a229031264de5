import { Group, Text } from '@mantine/core';
import type { Connection } from '../../api/use-event-stream.ts';

const SAID: Record<Connection, { tone: string; words: string }> = {
  connecting: { tone: 'waiting', words: 'Connecting…' },
  connected: { tone: 'good', words: 'Following' },
  lost: { tone: 'warning', words: 'Connection lost: trying again…' },
};

/** Whether what is shown is followed at this moment. */
export function FollowMark({ connection }: { connection: Connection }) {
  const { tone, words } = SAID[connection];
  return (
    <Group gap={6} wrap="nowrap" role="status">
      <span
        className="status-dot"
        style={{ color: `var(--status-${tone})` }}
        {...(connection === 'connected' && { 'data-moving': true })}
      />
      <Text size="xs" c="dimmed">
        {words}
      </Text>
    </Group>
  );
}
