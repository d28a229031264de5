import { Group, Text } from '@mantine/core';
import type { Run } from '../../api/resources.ts';
import { formatPart, formatRate, formatRows, plural } from '../words/format.ts';
import { ProgressBar } from './progress-bar.tsx';
import { rateOf } from './run-rate.ts';
import { statusWord } from './status.tsx';

/** How far a run is: a bar where the sources know how much there is, and in any case the figures. */
export function RunProgress({ run, label }: { run: Run; label: string }) {
  const expected = run.streams.reduce((sum, { estimated_total }) => sum + (estimated_total ?? Number.NaN), 0);
  const read = run.totals.read;
  // What there is was estimated: a run that has read more is not over for that.
  const part = expected > 0 ? Math.min(read / expected, 0.99) : undefined;
  const rate = rateOf(run);
  const words = [
    run.status === 'running' ? undefined : statusWord(run.status),
    `${formatRows(read)} read`,
    rate > 0 ? formatRate(rate) : undefined,
    run.totals.rejected > 0 ? plural(run.totals.rejected, 'reject') : undefined,
  ].filter((word) => word !== undefined);
  return (
    <>
      <ProgressBar part={part} of={label} words={words.join(', ')} size="sm" moving={run.status === 'running'} />
      <Group justify="space-between" gap="xs" mt={4}>
        <Text size="xs" c="dimmed" className="number">
          {words.join(' · ')}
        </Text>
        {part !== undefined && (
          <Text size="xs" c="dimmed" className="number">
            {formatPart(part)}
          </Text>
        )}
      </Group>
    </>
  );
}
