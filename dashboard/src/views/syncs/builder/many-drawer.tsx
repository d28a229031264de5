import { Button, Group, MultiSelect, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { SourceStream } from '../../../api/resources.ts';
import { SideDrawer } from '../../../parts/page/side-drawer.tsx';
import { formatCount } from '../../../parts/words/format.ts';
import { visible } from '../../../parts/words/outside-text.tsx';
import { DELETE_WORDS, MODE_WORDS } from '../words.ts';
import type { StreamDraft } from './draft.ts';

interface ManyDrawerProps {
  streams: readonly StreamDraft[];
  all: readonly SourceStream[];
  live: boolean;
  onApply: (change: Partial<StreamDraft>) => void;
  onClose: () => void;
}

const AS_IT_IS = { value: 'same', label: 'Leave as it is' };
const AUTOMATIC = { value: '', label: 'Automatic for each' };

/** Mode, key, cursor and deletions of several streams at once. What is left as it is stays as it is in each. */
export function ManyDrawer({ streams, all, live, onApply, onClose }: ManyDrawerProps) {
  const [mode, setMode] = useState('same');
  const [deletes, setDeletes] = useState('same');
  const [cursor, setCursor] = useState('same');
  const [keyFrom, setKeyFrom] = useState('same');
  const [key, setKey] = useState<string[]>([]);
  const shared = sharedFields(streams, all);
  const fields = shared.map((name) => ({ value: name, label: visible(name) }));
  const apply = (): void =>
    onApply({
      ...(mode !== 'same' && { mode: (mode || undefined) as StreamDraft['mode'] }),
      ...(keyFrom !== 'same' && { key: keyFrom === 'these' && key.length > 0 ? key : undefined }),
      ...(cursor !== 'same' && { cursor: cursor.slice(1) || undefined }),
      ...(deletes !== 'same' && { deletes: (deletes || undefined) as StreamDraft['deletes'] }),
    });
  return (
    <SideDrawer title={`Settings for ${formatCount(streams.length)} streams`} size={520} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          What you set here is set for each of them. Names, fields and conditions of each stay as they are; schedule and safety below are
          those of the whole synchronization.
        </Text>
        {!live && (
          <NativeSelect
            label="Mode"
            data={[AS_IT_IS, AUTOMATIC, ...choices(MODE_WORDS).filter(({ value }) => value !== 'cdc')]}
            value={mode}
            onChange={({ currentTarget }) => setMode(currentTarget.value)}
          />
        )}
        <NativeSelect
          label="Key"
          data={[
            AS_IT_IS,
            { value: '', label: 'Automatic for each: its own key' },
            ...(shared.length > 0 ? [{ value: 'these', label: 'These fields' }] : []),
          ]}
          value={keyFrom}
          onChange={({ currentTarget }) => setKeyFrom(currentTarget.value)}
        />
        {keyFrom === 'these' && (
          <MultiSelect
            label="Fields of the key"
            description="Those that all of these streams have."
            data={fields}
            value={key}
            onChange={setKey}
            searchable
          />
        )}
        {!live && (
          <NativeSelect
            label="Cursor"
            description={shared.length === 0 ? 'They have no field in common.' : 'A field that all of them have.'}
            data={[AS_IT_IS, { ...AUTOMATIC, value: '=' }, ...fields.map(({ value, label }) => ({ value: `=${value}`, label }))]}
            value={cursor}
            onChange={({ currentTarget }) => setCursor(currentTarget.value)}
          />
        )}
        <NativeSelect
          label="Deleted rows"
          data={[AS_IT_IS, AUTOMATIC, ...choices(DELETE_WORDS)]}
          value={deletes}
          onChange={({ currentTarget }) => setDeletes(currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={apply} disabled={[mode, deletes, cursor, keyFrom].every((value) => value === 'same')}>
            Set for {formatCount(streams.length)} streams
          </Button>
        </Group>
      </Stack>
    </SideDrawer>
  );
}

function choices(words: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}

/** The fields that each of the streams has. */
function sharedFields(streams: readonly StreamDraft[], all: readonly SourceStream[]): string[] {
  const infos = new Map(all.map((info) => [info.name, info]));
  const names = streams.map(({ source }) => infos.get(source)?.fields.map(({ name }) => name) ?? []);
  const counts = new Map<string, number>();
  for (const name of names.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (names[0] ?? []).filter((name) => counts.get(name) === names.length);
}
