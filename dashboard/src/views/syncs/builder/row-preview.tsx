import { Skeleton, Stack, Text } from '@mantine/core';
import { sentencesOf } from '../../../api/errors.ts';
import { EmptyState } from '../../../parts/page/empty-state.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { StreamDraft } from './draft.ts';
import { MappedRows } from './mapped-rows.tsx';
import { syncPlace } from './sync-place.ts';
import type { Trial } from './use-trial.ts';

/** Some rows of the source beside what would be written of them. */
export function RowPreview({ trial, stream }: { trial: Trial; stream: StreamDraft }) {
  return (
    <Stack gap="xs" aria-busy={trial.isFetching} role="group" aria-label="Preview of the rows">
      <Text size="sm" fw={500}>
        Preview of the rows
      </Text>
      <Content trial={trial} stream={stream} />
    </Stack>
  );
}

function Content({ trial: { data, error, refetch }, stream }: { trial: Trial; stream: StreamDraft }) {
  if (error && error.faults.length > 0 && error.status === 400) {
    return (
      <Stack gap={4}>
        {sentencesOf(error, (path) => syncPlace(path, [stream])).map((words) => (
          <Text size="sm" c="var(--mantine-color-error)" key={words}>
            <OutsideText>{words}</OutsideText>
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          When the marked fields are corrected, rows are shown here.
        </Text>
      </Stack>
    );
  }
  if (error) return <ErrorState error={error} retry={refetch} title="No rows can be shown" />;
  const sample = data?.data.sample;
  if (!sample) return <Skeleton h={120} role="status" aria-label="Loading rows" />;
  if (sample.rows.length === 0) {
    return <EmptyState title="There is no row to show.">The source has none, or none of the first passes the conditions.</EmptyState>;
  }
  return <MappedRows sample={sample} filled={data.data.streams[0]} />;
}
