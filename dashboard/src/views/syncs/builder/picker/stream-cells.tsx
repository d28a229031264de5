import { Button, Checkbox, Text } from '@mantine/core';
import { WarningIcon } from '../../../../parts/icons.tsx';
import { formatBytes, formatCompact, formatCount } from '../../../../parts/words/format.ts';
import { OutsideText, visible } from '../../../../parts/words/outside-text.tsx';
import type { StreamDraft } from '../draft.ts';
import { canChoose, type ListedGroup, type ListedStream } from './listed.ts';
import { howWords } from './how-words.ts';

type Set = (streams: readonly ListedStream[], isChosen: boolean) => void;

/** A schema or folder: ticked with all that is in it. */
export function GroupCells({ group: { name, streams }, tab, onSet }: { group: ListedGroup; tab: 0 | -1; onSet: Set }) {
  const able = streams.filter(canChoose);
  const chosen = able.filter(({ place }) => place !== undefined).length;
  return (
    <div role="gridcell" aria-colspan={6} className="stream-group">
      <Checkbox
        tabIndex={tab}
        size="sm"
        checked={chosen > 0 && chosen === able.length}
        indeterminate={chosen > 0 && chosen < able.length}
        disabled={able.length === 0}
        onChange={() => onSet(streams, chosen < able.length)}
        aria-label={`All of ${visible(name)}`}
      />
      <span className="cut-short">
        <OutsideText>{name}</OutsideText>
      </span>
      <Text span size="xs" c="dimmed" className="number" style={{ whiteSpace: 'nowrap' }}>
        {formatCount(chosen)} of {formatCount(streams.length)}
      </Text>
    </div>
  );
}

interface StreamCellsProps {
  listed: ListedStream;
  /** Its settings, when it is chosen. */
  stream: StreamDraft | undefined;
  live: boolean;
  faults: ReadonlyMap<string, string> | undefined;
  tab: 0 | -1;
  onSet: Set;
  onOpen: (place: number) => void;
}

/** A stream: what the source tells of it, and when it is chosen how it is kept in sync. */
export function StreamCells({ listed, stream, live, faults, tab, onSet, onOpen }: StreamCellsProps) {
  const { name, short, info, place } = listed;
  const written = stream?.target !== undefined && stream.target !== stream.source ? ` → ${stream.target}` : '';
  return (
    <>
      <div role="gridcell" className="stream-name">
        <Checkbox
          tabIndex={tab}
          size="sm"
          checked={place !== undefined}
          disabled={!canChoose(listed)}
          onChange={({ currentTarget }) => onSet([listed], currentTarget.checked)}
          aria-label={visible(name + written)}
          label={
            <span className="cut-short">
              <OutsideText>{short + written}</OutsideText>
              {info?.kind === 'view' && (
                <Text span size="xs" c="dimmed">
                  {' '}
                  view
                </Text>
              )}
            </span>
          }
        />
      </div>
      <div role="gridcell" className="stream-figure" data-unit="fields">
        {info ? formatCount(info.fields.length) : ''}
      </div>
      <div role="gridcell" className="stream-figure" data-unit="rows">
        {info?.estimated_rows == null ? '' : `~${formatCompact(info.estimated_rows)}`}
      </div>
      <div role="gridcell" className="stream-figure">
        {info?.estimated_bytes == null ? '' : `~${formatBytes(info.estimated_bytes)}`}
      </div>
      <div role="gridcell" className="stream-how">
        <span className="cut-short">
          {faults !== undefined && faults.size > 0 ? <Mark faults={faults} /> : <How listed={listed} stream={stream} live={live} />}
        </span>
      </div>
      <div role="gridcell" className="stream-open">
        {place !== undefined && (
          <Button
            tabIndex={tab}
            size="compact-sm"
            variant="subtle"
            onClick={() => onOpen(place)}
            aria-label={`Settings of ${visible(name + written)}`}
          >
            Settings
          </Button>
        )}
      </div>
    </>
  );
}

function How({ listed: { info }, stream, live }: { listed: ListedStream; stream: StreamDraft | undefined; live: boolean }) {
  if (stream)
    return (
      <Text span size="sm">
        <OutsideText>{howWords(stream, info, live)}</OutsideText>
      </Text>
    );
  return info && !info.readable ? (
    <Text span size="sm" c="dimmed">
      <OutsideText>{info.note ?? 'It cannot be read.'}</OutsideText>
    </Text>
  ) : null;
}

function Mark({ faults }: { faults: ReadonlyMap<string, string> }) {
  return (
    <Text span size="sm" c="var(--mantine-color-error)">
      <WarningIcon size={14} /> {faults.get('source')?.startsWith('Is not there') ? 'not found at the source' : 'has errors'}
    </Text>
  );
}
