import { Box, Group, Text } from '@mantine/core';
import type { Stream } from '../../api/resources.ts';
import { formatBytes, formatCount, formatPart, formatRate, formatRows } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { ProgressBar } from '../../parts/status/progress-bar.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { changeWords } from './run-words.ts';
import { StreamProof } from './stream-proof.tsx';

const COLORS: Record<string, string> = { succeeded: 'teal.7', partial: 'orange.7', failed: 'red.8', needs_approval: 'orange.7' };

interface StreamProgressProps {
  stream: Stream;
  /** Said above already for the whole run. */
  knownError: string | undefined;
}

/** How far one stream is, and what was done with its rows. */
export function StreamProgress({ stream, knownError }: StreamProgressProps) {
  const { name, target, status, read, estimated_total, rows_per_second, bytes, error, changes } = stream;
  const part = partOf(stream);
  const isLoaded = stream.live === 'live' || stream.live === 'stopped';
  const about =
    estimated_total !== null && estimated_total > read
      ? `${formatCount(read)} of about ${formatRows(estimated_total)} read`
      : `${formatRows(read)} read`;
  const would = changes && changeWords({ ...changes, rejected: 0 });
  const words = [
    about,
    would === undefined ? changeWords(stream) : `a run would change: ${would || 'nothing'}`,
    bytes > 0 ? formatBytes(bytes) : '',
    rows_per_second > 0 ? formatRate(rows_per_second) : '',
  ].filter((word) => word !== '');
  return (
    <Box component="li">
      <Group justify="space-between" wrap="nowrap" gap="sm" mb={4}>
        <Text size="sm" fw={500}>
          <OutsideText>{name}</OutsideText>
          {target !== name && (
            <Text span inherit fw={400} c="dimmed">
              {' → '}
              <OutsideText>{target}</OutsideText>
            </Text>
          )}
        </Text>
        <StatusBadge status={status === 'running' ? (stream.live ?? status) : status} />
      </Group>
      {!isLoaded && (
        <ProgressBar part={part} of={name} words={about} size="md" color={COLORS[status] ?? 'indigo.6'} moving={status === 'running'} />
      )}
      <Group justify="space-between" gap="xs" mt={4} wrap="nowrap" align="flex-start">
        <Text size="xs" c="dimmed" className="number">
          {words.join(' · ')}
        </Text>
        {part !== undefined && status === 'running' && !isLoaded && (
          <Text size="xs" c="dimmed" className="number">
            {formatPart(part)}
          </Text>
        )}
      </Group>
      {stream.proof && <StreamProof name={name} proof={stream.proof} />}
      {error !== null && !knownError?.startsWith(error.message) && (
        <Text size="sm" c="var(--status-bad)" mt={2}>
          <OutsideText>{error.message}</OutsideText>
          {error.hint !== null && (
            <Text span inherit c="dimmed">
              {' '}
              <OutsideText>{error.hint}</OutsideText>
            </Text>
          )}
        </Text>
      )}
    </Box>
  );
}

/** From 0 to 1; undefined while nobody knows how much there is. */
function partOf({ status, read, estimated_total }: Stream): number | undefined {
  if (status === 'succeeded' || status === 'partial') return 1;
  const expected = estimated_total ?? 0;
  // What there is was estimated: a stream that has read more is not over for that.
  if (expected > 0) return Math.min(read / expected, 0.99);
  return status === 'running' ? undefined : 0;
}
