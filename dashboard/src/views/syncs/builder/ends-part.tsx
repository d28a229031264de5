import { Anchor, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { Source } from '../../../api/resources.ts';
import { visible } from '../../../parts/words/outside-text.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { type SyncDraft, suggestedName } from './draft.ts';

interface EndsPartProps {
  draft: SyncDraft;
  sources: readonly Source[] | undefined;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<SyncDraft>) => void;
}

/** Source, target and name. */
export function EndsPart({ draft, sources = [], faults, onChange }: EndsPartProps) {
  const find = (id: string) => sources.find((source) => source.id === id);
  const choices = [{ value: '', label: 'Choose…' }, ...sources.map(({ id, name }) => ({ value: id, label: visible(name) }))];
  return (
    <Section title="Source and target">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label="Source"
            description="What is read."
            withAsterisk
            data={choices}
            value={draft.sourceId}
            error={faults.get('source_id')}
            // The streams of another source are others.
            onChange={({ currentTarget }) => onChange({ sourceId: currentTarget.value, streams: [] })}
          />
          <NativeSelect
            label="Target"
            description="What is written to."
            withAsterisk
            data={choices}
            value={draft.targetId}
            error={faults.get('target_id')}
            onChange={({ currentTarget }) => onChange({ targetId: currentTarget.value })}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Is it not in the list?{' '}
          <Anchor component={Link} href="/sources/new" size="sm">
            Add a source
          </Anchor>{' '}
          first.
        </Text>
        <TextInput
          label="Name"
          description="Without a name it is called after its source and target."
          maxLength={100}
          value={draft.name}
          placeholder={visible(suggestedName(find(draft.sourceId), find(draft.targetId)))}
          error={faults.get('name')}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </Stack>
    </Section>
  );
}
