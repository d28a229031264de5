import { Accordion, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Source } from '../../../api/resources.ts';
import { EmptyState } from '../../../parts/page/empty-state.tsx';
import { WarningIcon } from '../../../parts/icons.tsx';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { useFilter } from '../../../parts/filter/use-filter.ts';
import { Section } from '../../../parts/page/section.tsx';
import { type SyncDraft, newStream, type StreamDraft } from './draft.ts';
import { faultsOfStream, type Finding, firstAtFault } from './findings.ts';
import { StreamEditor } from './stream-editor.tsx';
import { StreamPicker } from './stream-picker.tsx';

interface StreamsPartProps {
  draft: SyncDraft;
  source: Source | undefined;
  /** What is wrong with the streams as a whole. */
  fault: string | undefined;
  /** What saving has found. */
  refusal: Finding | undefined;
  /** What is wrong with what is stored. */
  known: Finding | undefined;
  onChange: (streams: readonly StreamDraft[]) => void;
}

/** Which streams are kept in sync, and of each how. */
export function StreamsPart({ draft, source, fault, refusal, known, onChange }: StreamsPartProps) {
  const { streams } = draft;
  const findings = [known, refusal].filter((finding) => finding !== undefined);
  // Who comes from a failure is led to what is to blame.
  const [at] = useFilter('at');
  const [, led] = /^streams\[(\d+)\]/.exec(at) ?? [];
  const [opened, setOpened] = useState<string | null>(led ?? (streams.length === 1 ? '0' : null));
  // What is newly found wrong is opened, so that nobody has to look for it; what was wrong already, where nothing else is open.
  const newest = refusal ?? known;
  const [shown, setShown] = useState<Finding['error']>();
  if (newest && newest.error !== shown) {
    setShown(newest.error);
    const first = refusal || opened === null ? firstAtFault([newest], draft) : undefined;
    if (first !== undefined) setOpened(String(first));
  }
  const toggle = (name: string, isChosen: boolean): void => {
    const next = isChosen ? [...streams, newStream(name)] : streams.filter((stream) => stream.source !== name);
    setOpened(isChosen ? String(next.length - 1) : null);
    onChange(next);
  };
  const remove = (stream: StreamDraft): void => {
    setOpened(null);
    onChange(streams.filter((other) => other !== stream));
  };
  return (
    <Section title="Streams" about="Choose what to read. How it is written is chosen automatically, and can be changed.">
      <Stack gap="md">
        {fault !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fault}
          </Text>
        )}
        {source ? (
          <Box data-fault={fault}>
            <StreamPicker source={source} chosen={streams.map((stream) => stream.source)} onToggle={toggle} />
          </Box>
        ) : (
          draft.sourceId === '' && <EmptyState title="Choose a source first.">Its tables, files or resources are listed here.</EmptyState>
        )}
        {streams.length > 0 && (
          <Accordion value={opened} onChange={setOpened} variant="separated" order={3}>
            {streams.map((stream, place) => (
              // oxlint-disable-next-line react/no-array-index-key -- a stream may be written twice, to two targets: its place tells it apart
              <Accordion.Item key={place} value={String(place)}>
                <Group gap={0} wrap="nowrap">
                  <Accordion.Control>
                    <Group gap="xs">
                      <OutsideText>{streamWords(stream)}</OutsideText>
                      <Mark faults={faultsOfStream(findings, stream)} />
                    </Group>
                  </Accordion.Control>
                  <Box pr="xs">
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="gray"
                      onClick={() => remove(stream)}
                      aria-label={`Remove ${visible(streamWords(stream))}`}
                    >
                      Remove
                    </Button>
                  </Box>
                </Group>
                <Accordion.Panel>
                  {opened === String(place) && (
                    <StreamEditor
                      draft={draft}
                      stream={stream}
                      saved={faultsOfStream(findings, stream)}
                      led={led === String(place) ? at.slice(`streams[${led}]`.length) : undefined}
                      onChange={(changed) => onChange(streams.map((old, at) => (at === place ? changed : old)))}
                      onRemove={() => remove(stream)}
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

function Mark({ faults }: { faults: ReadonlyMap<string, string> }) {
  if (faults.size === 0) return null;
  return (
    <Text span size="sm" c="var(--mantine-color-error)">
      <WarningIcon size={14} /> {faults.get('source')?.startsWith('Is not there') ? 'not found at the source' : 'has errors'}
    </Text>
  );
}

function streamWords({ source, target = source }: StreamDraft): string {
  return target === source ? source : `${source} → ${target}`;
}
