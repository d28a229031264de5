import { Anchor, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Suspense, useState } from 'react';
import type { Source } from '../../../api/resources.ts';
import { visible } from '../../../parts/words/outside-text.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { lazyPart } from '../../../parts/lazy-part.ts';
import { useReadySources } from '../../sources/ready-sources.ts';
import { type SyncDraft, suggestedName } from './draft.ts';

// Most have their systems already.
const AddSource = lazyPart(async () => (await import('./add-source.tsx')).AddSource);

interface EndsPartProps {
  draft: SyncDraft;
  sources: readonly Source[] | undefined;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<SyncDraft>) => void;
}

/** Source, target and name. */
export function EndsPart({ draft, sources = [], faults, onChange }: EndsPartProps) {
  const [added, setAdded] = useState<'source' | 'target'>();
  const makeReady = useReadySources();
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
            onFocus={makeReady}
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
          <Anchor component="button" type="button" size="sm" onClick={() => setAdded('source')}>
            Add a source
          </Anchor>{' '}
          or{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => setAdded('target')}>
            add a target
          </Anchor>
          : what you have entered here stays.
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
      {added && (
        <Suspense>
          <AddSource
            end={added}
            onAdded={({ id }) => {
              setAdded(undefined);
              onChange(added === 'source' ? { sourceId: id, streams: [] } : { targetId: id });
            }}
            onClose={() => setAdded(undefined)}
          />
        </Suspense>
      )}
    </Section>
  );
}
