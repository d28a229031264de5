import { Box, Button, Stack, Text } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import type { Source, SourceStream } from '../../../api/resources.ts';
import { EmptyState } from '../../../parts/page/empty-state.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { PageSkeleton } from '../../../parts/page/page-skeleton.tsx';
import { useFilter } from '../../../parts/filter/use-filter.ts';
import { Section } from '../../../parts/page/section.tsx';
import { type SyncDraft, newStream, type StreamDraft } from './draft.ts';
import { faultFinder, type Finding, firstAtFault } from './findings.ts';
import { ManyDrawer } from './many-drawer.tsx';
import { useAllStreams } from './picker/all-streams.ts';
import { StreamPicker } from './picker/stream-picker.tsx';
import { StreamDrawer } from './stream-drawer.tsx';

interface StreamsPartProps {
  draft: SyncDraft;
  source: Source | undefined;
  /** What is wrong with the streams as a whole. */
  fault: string | undefined;
  /** What saving has found. */
  refusal: Finding | undefined;
  /** What is wrong with what is stored. */
  known: Finding | undefined;
  onChange: (change: (streams: readonly StreamDraft[]) => readonly StreamDraft[]) => void;
}

/** Which streams are kept in sync, and of each how. */
export function StreamsPart(props: StreamsPartProps) {
  const { draft, source, fault } = props;
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
            <Streams {...props} source={source} />
          </Box>
        ) : (
          draft.sourceId === '' && <EmptyState title="Choose a source first.">Its tables, files or resources are listed here.</EmptyState>
        )}
      </Stack>
    </Section>
  );
}

const NONE: readonly SourceStream[] = [];

function Streams({ draft, source, refusal, known, onChange }: StreamsPartProps & { source: Source }) {
  const { streams } = draft;
  const { data, error, refetch, isFetching } = useAllStreams(source.id);
  const faultsOf = useMemo(() => faultFinder([known, refusal].filter((finding) => finding !== undefined)), [known, refusal]);
  // Who comes from a failure is led to what is to blame.
  const [at] = useFilter('at');
  const [, led] = /^streams\[(\d+)\]/.exec(at) ?? [];
  const [opened, setOpened] = useState<number | undefined>(led === undefined ? undefined : Number(led));
  const [many, setMany] = useState<readonly number[]>();
  // What saving has found wrong is opened, so that nobody has to look for it.
  const [shown, setShown] = useState<Finding['error']>();
  if (refusal && refusal.error !== shown) {
    setShown(refusal.error);
    setOpened(firstAtFault([refusal], draft));
  }
  // Who ticks a stream again finds it as it was set.
  const removed = useRef(new Map<string, StreamDraft>());
  const choose = (names: readonly string[]): void =>
    onChange((old) => [...old, ...names.map((name) => removed.current.get(`${source.id} ${name}`) ?? newStream(name))]);
  const remove = (places: readonly number[]): void => {
    const gone = new Set(places);
    for (const place of gone) {
      const stream = streams[place];
      if (stream) removed.current.set(`${source.id} ${stream.source}`, stream);
    }
    setOpened(undefined);
    onChange((old) => old.filter((_, place) => !gone.has(place)));
  };
  const change = (places: readonly number[], part: Partial<StreamDraft>): void => {
    const meant = new Set(places);
    onChange((old) => old.map((stream, place) => (meant.has(place) ? { ...stream, ...part } : stream)));
  };
  if (!data && !error) return <PageSkeleton />;
  const all = data ?? NONE;
  return (
    <>
      <Stack gap="sm">
        {error && <ErrorState error={error} title="The source cannot be asked for its streams" retry={refetch} />}
        {all.length === 0 && streams.length === 0 ? (
          !error && (
            <EmptyState title="There is nothing to read in this source.">
              It answers, but shows no table, file or resource that may be read.{' '}
              <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void refetch()}>
                Look again
              </Button>
            </EmptyState>
          )
        ) : (
          <StreamPicker
            // What was looked for in another source is not looked for here.
            key={source.id}
            all={all}
            chosen={streams}
            live={draft.live}
            faultsOf={faultsOf}
            onChoose={choose}
            onRemove={remove}
            onOpen={setOpened}
            onOpenMany={setMany}
          />
        )}
      </Stack>
      <StreamDrawer
        draft={draft}
        place={opened}
        faultsOf={faultsOf}
        led={led !== undefined && opened === Number(led) ? at.slice(`streams[${led}]`.length) : undefined}
        onChange={(place, stream) => change([place], stream)}
        onRemove={(place) => remove([place])}
        onOpen={setOpened}
      />
      {many && (
        <ManyDrawer
          streams={many.flatMap((place) => streams[place] ?? [])}
          all={all}
          live={draft.live}
          onApply={(part) => {
            change(many, part);
            setMany(undefined);
          }}
          onClose={() => setMany(undefined)}
        />
      )}
    </>
  );
}
