import { Checkbox, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useApi } from '../../../api/queries.ts';
import type { Source, SourceStream } from '../../../api/resources.ts';
import { EmptyState } from '../../../parts/page/empty-state.tsx';
import { formatCompact, formatCount, plural } from '../../../parts/words/format.ts';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';

const MOST = 100;

interface StreamPickerProps {
  source: Source;
  chosen: readonly string[];
  onToggle: (name: string, isChosen: boolean) => void;
}

/** The streams of a source, to be ticked. */
export function StreamPicker({ source, chosen, onToggle }: StreamPickerProps) {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), 300);
  const streams = useApi('GET /api/v1/datasync/sources/{id}/streams', {
    params: { id: source.id },
    query: { limit: MOST, ...(q !== '' && { q }) },
  });
  return (
    <Loaded query={streams}>
      {({ data, total }) => (
        <Stack gap="xs">
          {(total > 10 || q !== '') && (
            <TextInput
              label="Find by name"
              type="search"
              maw={420}
              maxLength={200}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
          {data.length === 0 ? (
            <EmptyState title={q === '' ? 'There is nothing to read in this source.' : 'Nothing has such a name.'}>
              {q === '' ? 'It answers, but shows no table, file or resource that may be read.' : 'Look for a shorter part of the name.'}
            </EmptyState>
          ) : (
            <ScrollArea.Autosize
              mah={260}
              type="auto"
              viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': 'Streams of the source' }}
            >
              <Stack gap={6} p={2}>
                {data.map((stream) => (
                  <Choice
                    key={stream.name}
                    stream={stream}
                    isChosen={chosen.includes(stream.name)}
                    onToggle={(isChosen) => onToggle(stream.name, isChosen)}
                  />
                ))}
              </Stack>
            </ScrollArea.Autosize>
          )}
          {total > data.length && (
            <Text size="sm" c="dimmed">
              {formatCount(data.length)} of {formatCount(total)} are shown: find others by their names.
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Choice({ stream, isChosen, onToggle }: { stream: SourceStream; isChosen: boolean; onToggle: (isChosen: boolean) => void }) {
  const { name, kind, fields, estimated_rows, readable, note } = stream;
  const rows = estimated_rows === null ? '' : `, about ${formatCompact(estimated_rows)} rows`;
  return (
    <Checkbox
      checked={isChosen}
      disabled={!readable && !isChosen}
      onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      label={
        <Group gap="xs">
          <OutsideText>{name}</OutsideText>
          <Text span size="xs" c="dimmed">
            {readable ? `${kind}, ${plural(fields.length, 'field')}${rows}` : <OutsideText>{note ?? 'It cannot be read.'}</OutsideText>}
          </Text>
        </Group>
      }
    />
  );
}
