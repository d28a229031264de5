import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Run, Stream } from '../../api/resources.ts';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, statusWord } from '../../parts/status/status.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { type Sort, sortedStreams, SORTS } from './sorted-streams.ts';
import { StreamProgress } from './stream-progress.tsx';

const MOST_STREAMS = 50;
/** From so many on there is something to look for. */
const MANY = 6;

/** How far each stream of a run is: those that failed first, unless another order is asked for. */
export function RunStreams({ run }: { run: Run }) {
  const { streams } = run;
  const over = streams.filter(({ status }) => status === 'succeeded' || status === 'partial').length;
  return (
    <Section title="Streams" about={streams.length > 1 && !run.live ? `${over} of ${plural(streams.length, 'stream')} done` : undefined}>
      {streams.length === 0 ? (
        <EmptyState title="No stream has started.">
          {isUnderWay(run.status) ? 'They are listed as soon as the run starts.' : 'The run ended before the first stream.'}
        </EmptyState>
      ) : (
        <Wanted run={run} />
      )}
    </Section>
  );
}

function Wanted({ run: { streams, error } }: { run: Run }) {
  const [all, setAll] = useState(false);
  const [q] = useFilter('q');
  const [status, setStatus] = useFilter('status');
  const [sort, setSort] = useFilter('sort');
  const found = sortedStreams(streams, { q, status, sort: sort in SORTS ? (sort as Sort) : 'failed' });
  const shown = all ? found : found.slice(0, MOST_STREAMS);
  return (
    <Stack gap="md">
      {streams.length >= MANY && (
        <Group gap="sm" align="flex-end">
          <FilterText label="Find by name" name="q" placeholder="Part of a name" maxLength={200} />
          <NativeSelect
            label="Status"
            data={[{ value: '', label: `All (${formatCount(streams.length)})` }, ...statusChoices(streams, status)]}
            value={status}
            onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          />
          <NativeSelect
            label="Sort by"
            data={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
            value={sort in SORTS ? sort : 'failed'}
            onChange={({ currentTarget }) => setSort(currentTarget.value === 'failed' ? '' : currentTarget.value)}
          />
        </Group>
      )}
      {found.length === 0 ? (
        <EmptyState title="No stream matches.">Look for a shorter part of the name, or show all.</EmptyState>
      ) : (
        <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Streams of the run">
          {shown.map((stream) => (
            <StreamProgress key={stream.target} stream={stream} knownError={error?.message} />
          ))}
        </Stack>
      )}
      {shown.length < found.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          Show all {plural(found.length, 'stream')}
        </Button>
      )}
    </Stack>
  );
}

/** Only what there is can be chosen, and what is chosen already. */
function statusChoices(streams: readonly Stream[], chosen: string): { value: string; label: string }[] {
  const counts = new Map<string, number>(chosen === '' ? [] : [[chosen, 0]]);
  for (const { status } of streams) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, label: `${statusWord(value)} (${formatCount(count)})` }));
}
