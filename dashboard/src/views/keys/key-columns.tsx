import { Box, Button, Group, Text } from '@mantine/core';
import type { Key } from '../../api/resources.ts';
import type { Column } from '../../parts/table/data-table.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { RevokeKey } from './revoke-key.tsx';

/** What the list says of each key. `ownId` is the key that the page itself uses. */
export function keyColumns(ownId: string, onRotate: (key: Key) => void): readonly Column<Key>[] {
  return [
    {
      header: 'Name',
      cell: ({ id, name }) => (
        <Box miw={140}>
          <OutsideText>{name}</OutsideText>
          {id === ownId && (
            <Text size="xs" c="dimmed">
              the key you are using
            </Text>
          )}
        </Box>
      ),
      width: 160,
    },
    { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 110 },
    { header: 'Scopes', cell: ({ scopes }) => (scopes.includes('admin') ? 'everything (admin)' : scopes.join(', ')) },
    {
      header: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <RelativeTime time={last_used_at} />),
      width: 130,
    },
    { header: 'Expires', cell: ({ expires_at }) => (expires_at === null ? 'never' : <RelativeTime time={expires_at} />), width: 120 },
    { header: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 120 },
    {
      header: 'Actions',
      cell: (key) =>
        key.status === 'active' && (
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={() => onRotate(key)}>
              Rotate
            </Button>
            <RevokeKey apiKey={key} isOwn={key.id === ownId} />
          </Group>
        ),
      width: 220,
      phone: 'bare',
    },
  ];
}
