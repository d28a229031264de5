import { Button, Group } from '@mantine/core';
import { NextIcon, PreviousIcon } from '../../../parts/icons.tsx';
import { SideDrawer } from '../../../parts/page/side-drawer.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { StreamDraft, SyncDraft } from './draft.ts';
import { StreamEditor } from './stream-editor.tsx';

interface StreamDrawerProps {
  draft: SyncDraft;
  /** The place of the stream among the chosen ones; none when it is closed. */
  place: number | undefined;
  faultsOf: (stream: StreamDraft) => ReadonlyMap<string, string>;
  /** The part of it that a failure has led to. */
  led: string | undefined;
  onChange: (place: number, stream: StreamDraft) => void;
  onRemove: (place: number) => void;
  onOpen: (place: number | undefined) => void;
}

/** The settings of one chosen stream, and the way to those of the others. */
export function StreamDrawer({ draft, place, faultsOf, led, onChange, onRemove, onOpen }: StreamDrawerProps) {
  const { streams } = draft;
  const stream = place === undefined ? undefined : streams[place];
  if (place === undefined || stream === undefined) return null;
  return (
    <SideDrawer
      title={<OutsideText>{`Settings of ${stream.source.length > 80 ? `${stream.source.slice(0, 80)}…` : stream.source}`}</OutsideText>}
      onClose={() => onOpen(undefined)}
    >
      <StreamEditor
        // Another stream has another preview, and its own fields.
        key={place}
        draft={draft}
        stream={stream}
        saved={faultsOf(stream)}
        led={led}
        onChange={(changed) => onChange(place, changed)}
        onRemove={() => onRemove(place)}
      />
      <Group justify="space-between" mt="lg">
        <Group gap="xs">
          <Button variant="default" leftSection={<PreviousIcon size={14} />} disabled={place === 0} onClick={() => onOpen(place - 1)}>
            Previous
          </Button>
          <Button
            variant="default"
            rightSection={<NextIcon size={14} />}
            disabled={place >= streams.length - 1}
            onClick={() => onOpen(place + 1)}
          >
            Next
          </Button>
        </Group>
        <Group gap="xs">
          <Button variant="subtle" color="gray" onClick={() => onRemove(place)}>
            Remove this stream
          </Button>
          <Button onClick={() => onOpen(undefined)}>Done</Button>
        </Group>
      </Group>
    </SideDrawer>
  );
}
