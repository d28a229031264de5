import { Accordion, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Source } from '../../../api/resources.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { WarningIcon } from '../../../parts/icons.tsx';
import { OutsideText } from '../../../parts/outside-text.tsx';
import { Section } from '../../../parts/section.tsx';
import { type Draft, newStream, type StreamDraft } from './draft.ts';
import { StreamEditor } from './stream-editor.tsx';
import { StreamPicker } from './stream-picker.tsx';

interface StreamsPartProps {
  draft: Draft;
  source: Source | undefined;
  /** What saving has found, by place. */
  faults: ReadonlyMap<string, string>;
  onChange: (streams: readonly StreamDraft[]) => void;
}

/** What is kept in step: which streams, and of each how. */
export function StreamsPart({ draft, source, faults, onChange }: StreamsPartProps) {
  const { streams } = draft;
  const [opened, setOpened] = useState<string | null>(streams.length === 1 ? '0' : null);
  if (!source) {
    return (
      <Section title="What is kept in step">
        <EmptyState title="Choose a source first.">Its tables, files or resources are listed here.</EmptyState>
      </Section>
    );
  }
  const toggle = (name: string, isChosen: boolean): void => {
    const next = isChosen ? [...streams, newStream(name)] : streams.filter((stream) => stream.source !== name);
    setOpened(isChosen ? String(next.length - 1) : null);
    onChange(next);
  };
  return (
    <Section title="What is kept in step" about="Choose what to read. How it is written is chosen for you, and can be changed.">
      <Stack gap="md">
        <StreamPicker source={source} chosen={streams.map((stream) => stream.source)} onToggle={toggle} />
        {faults.has('streams') && (
          <Text size="sm" c="var(--mantine-color-error)">
            {faults.get('streams')}
          </Text>
        )}
        {streams.length > 0 && (
          <Accordion value={opened} onChange={setOpened} variant="separated" order={3}>
            {streams.map((stream, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- a stream may be written twice, to two targets: its place tells it apart
              <Accordion.Item key={place} value={String(place)}>
                <Accordion.Control>
                  <Group gap="xs">
                    <OutsideText>{streamWords(stream)}</OutsideText>
                    {isAtFault(faults, place) && (
                      <Text span size="sm" c="var(--mantine-color-error)">
                        <WarningIcon size={14} /> needs a look
                      </Text>
                    )}
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  {opened === String(place) && (
                    <StreamEditor
                      draft={draft}
                      stream={stream}
                      saved={faultsOf(faults, place)}
                      onChange={(changed) => onChange(streams.map((old, at) => (at === place ? changed : old)))}
                    />
                  )}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
      </Stack>
    </Section>
  );
}

function streamWords({ source, target = source }: StreamDraft): string {
  return target === source ? source : `${source} → ${target}`;
}

function isAtFault(faults: ReadonlyMap<string, string>, place: number): boolean {
  return faultsOf(faults, place).size > 0;
}

/** The faults of one stream, by their place within it. */
function faultsOf(faults: ReadonlyMap<string, string>, place: number): ReadonlyMap<string, string> {
  const prefix = `streams[${place}].`;
  return new Map([...faults].filter(([path]) => path.startsWith(prefix)).map(([path, reason]) => [path.slice(prefix.length), reason]));
}
