import { Button, Checkbox, Text } from '@mantine/core';
import { memo } from 'react';
import { StatusShape } from '../../../../parts/status/status-shape.tsx';
import { formatBytes, formatCompact, formatCount } from '../../../../parts/words/format.ts';
import { OutsideText, visible } from '../../../../parts/words/outside-text.tsx';
import type { StreamDraft } from '../draft.ts';
import { canChoose, type ListedGroup, type ListedStream } from './listed.ts';
import { howWords } from './how-words.ts';

interface GroupCellsProps {
  group: ListedGroup;
  tab: 0 | -1;
  onSet: (streams: readonly ListedStream[], isChosen: boolean) => void;
}

/** A schema or folder: ticked with all that is in it. */
export function GroupCells({ group: { name, streams }, tab, onSet }: GroupCellsProps) {
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
  /** By the key of the stream. */
  onSet: (key: string, isChosen: boolean) => void;
  onOpen: (key: string) => void;
}

/** A stream: what the source tells of it, and when it is chosen how it is kept in sync. */
export const StreamCells = memo(function Cells({ listed, stream, live, faults, tab, onSet, onOpen }: StreamCellsProps) {
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
          onChange={({ currentTarget }) => onSet(listed.key, currentTarget.checked)}
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
            onClick={() => onOpen(listed.key)}
            aria-label={`Settings of ${visible(name + written)}`}
          >
            Settings
          </Button>
        )}
      </div>
    </>
  );
}, looksTheSame);

/** Where among the chosen ones it is changes with every other that is chosen, and is not seen. */
function looksTheSame({ listed: one, ...before }: StreamCellsProps, { listed: other, ...after }: StreamCellsProps): boolean {
  return (
    one.key === other.key &&
    one.info === other.info &&
    (one.place === undefined) === (other.place === undefined) &&
    Object.entries(before).every(([name, value]) => Object.is(value, after[name as keyof typeof after]))
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
      <StatusShape shape="triangle" tone="bad" />{' '}
      {faults.get('source')?.startsWith('Is not there') ? 'not found at the source' : 'has errors'}
    </Text>
  );
}
