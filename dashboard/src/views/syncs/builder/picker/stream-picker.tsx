import './stream-picker.css';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { SourceStream } from '../../../../api/resources.ts';
import { EmptyState } from '../../../../parts/page/empty-state.tsx';
import { VirtualRows } from '../../../../parts/table/virtual-rows.tsx';
import { formatCount, plural } from '../../../../parts/words/format.ts';
import type { StreamDraft } from '../draft.ts';
import { canChoose, grouped, type ListedStream, listStreams, matching, type Shown } from './listed.ts';
import { GroupCells, StreamCells } from './stream-cells.tsx';

/** Pixels of all rows that are seen at once. */
const MOST = 440;
const COLUMNS = [
  { name: 'Stream' },
  { name: 'Fields' },
  { name: 'Rows' },
  { name: 'Size' },
  { name: 'How it is kept in sync' },
  { name: 'Settings', hidden: true },
];
/** From so many on there is something to look for. */
const MANY = 8;

export interface PickerProps {
  /** What the source has; nothing while it cannot be asked. */
  all: readonly SourceStream[];
  chosen: readonly StreamDraft[];
  live: boolean;
  faultsOf: (stream: StreamDraft) => ReadonlyMap<string, string>;
  onChoose: (names: readonly string[]) => void;
  onRemove: (places: readonly number[]) => void;
  onOpen: (place: number) => void;
  /** Settings of several at once. */
  onOpenMany: (places: readonly number[]) => void;
}

/** All streams of a source, to be found, ticked and set: one by one, by schema, or as many as match. */
export function StreamPicker(props: PickerProps) {
  const { all, chosen, live, faultsOf, onChoose, onRemove, onOpen, onOpenMany } = props;
  const [text, setText] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const listed = useMemo(() => listStreams(all, chosen), [all, chosen]);
  const faulty = chosen.filter((stream) => faultsOf(stream).size > 0).length;
  // What was looked for may be mended, or gone, by now.
  const wanted = shown === 'faulty' && faulty === 0 ? 'all' : shown;
  const found = matching(listed, chosen, { text, shown: wanted, isFaulty: (stream) => faultsOf(stream).size > 0 });
  const rows = grouped(found);
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false });
  const choose = (streams: readonly ListedStream[], isChosen: boolean): void => {
    if (isChosen) onChoose(streams.filter((stream) => stream.place === undefined && canChoose(stream)).map(({ name }) => name));
    else onRemove(placesOf(streams));
  };
  // Rows are drawn again only when they change themselves: what they do is looked up when it is done.
  const meant = (key: string): ListedStream[] => listed.filter((stream) => stream.key === key);
  const doings = {
    set: (key: string, isChosen: boolean): void => choose(meant(key), isChosen),
    open: (key: string): void => placesOf(meant(key)).forEach(onOpen),
  };
  const latest = useRef(doings);
  useLayoutEffect(() => {
    latest.current = doings;
  });
  const setOne = useCallback((key: string, isChosen: boolean): void => latest.current.set(key, isChosen), []);
  const openOne = useCallback((key: string): void => latest.current.open(key), []);
  return (
    <Stack gap="xs" className="stream-picker">
      {(listed.length >= MANY || faulty > 0) && <Finding text={text} shown={wanted} faulty={faulty} onText={setText} onShown={setShown} />}
      <Chosen found={found} listed={listed} isFiltered={text.trim() !== '' || wanted !== 'all'} onSet={choose} onOpenMany={onOpenMany} />
      {rows.length === 0 ? (
        <EmptyState title="Nothing matches.">Look for a shorter part of the name, or show all.</EmptyState>
      ) : (
        <VirtualRows
          // Who looks for something else begins at the top.
          key={`${wanted} ${text.trim()}`}
          label="Streams of the source"
          count={rows.length}
          height={isNarrow ? 60 : 40}
          most={MOST}
          columns={COLUMNS}
          keyOf={(at) => {
            const row = rows[at];
            return row?.kind === 'stream' ? row.key : `group ${row?.name}`;
          }}
          renderRow={(at, tab) => {
            const row = rows[at];
            if (row === undefined) return null;
            if (row.kind === 'group') return <GroupCells group={row} tab={tab} onSet={choose} />;
            const stream = row.place === undefined ? undefined : chosen[row.place];
            return (
              <StreamCells
                listed={row}
                stream={stream}
                live={live}
                faults={stream && faultsOf(stream)}
                tab={tab}
                onSet={setOne}
                onOpen={openOne}
              />
            );
          }}
        />
      )}
    </Stack>
  );
}

function placesOf(streams: readonly ListedStream[]): number[] {
  return streams.flatMap(({ place }) => (place === undefined ? [] : [place]));
}

interface FindingProps {
  text: string;
  shown: Shown;
  faulty: number;
  onText: (text: string) => void;
  onShown: (shown: Shown) => void;
}

function Finding({ text, shown, faulty, onText, onShown }: FindingProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        label="Find by name"
        type="search"
        style={{ flex: '2 1 220px' }}
        maw={420}
        maxLength={200}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
      <NativeSelect
        label="Show"
        style={{ flex: '1 1 140px' }}
        maw={220}
        data={[
          { value: 'all', label: 'All' },
          { value: 'chosen', label: 'Chosen' },
          { value: 'others', label: 'Not chosen' },
          ...(faulty > 0 ? [{ value: 'faulty', label: `With errors (${formatCount(faulty)})` }] : []),
        ]}
        value={shown}
        onChange={({ currentTarget }) => onShown(currentTarget.value as Shown)}
      />
    </Group>
  );
}

interface ChosenProps {
  found: readonly ListedStream[];
  listed: readonly ListedStream[];
  isFiltered: boolean;
  onSet: (streams: readonly ListedStream[], isChosen: boolean) => void;
  onOpenMany: (places: readonly number[]) => void;
}

/** How many are chosen, and what can be done with all of them, or with all that match. */
function Chosen({ found, listed, isFiltered, onSet, onOpenMany }: ChosenProps) {
  const free = found.filter((stream) => stream.place === undefined && canChoose(stream));
  const taken = placesOf(found);
  const which = isFiltered ? ' that match' : '';
  return (
    <Group gap="xs" justify="space-between">
      <Text size="sm" role="status">
        <b className="number">{formatCount(placesOf(listed).length)}</b> of {formatCount(listed.length)} chosen
        {isFiltered && `, ${plural(found.length, 'stream')} shown`}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" disabled={free.length === 0} onClick={() => onSet(found, true)}>
          {isFiltered ? `Select all ${formatCount(found.filter(canChoose).length)}${which}` : 'Select all'}
        </Button>
        <Button size="compact-sm" variant="default" disabled={taken.length === 0} onClick={() => onSet(found, false)}>
          Select none{which}
        </Button>
        <Button size="compact-sm" variant="light" disabled={taken.length < 2} onClick={() => onOpenMany(taken)}>
          {taken.length < 2 ? 'Settings for several' : `Settings for ${formatCount(taken.length)} streams`}
        </Button>
      </Group>
    </Group>
  );
}
