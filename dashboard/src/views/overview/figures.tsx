import { SimpleGrid } from '@mantine/core';
import type { Metrics, Sync } from '../../api/resources.ts';
import { Figure } from '../../parts/page/figure.tsx';
import { formatCompact, formatCount, formatPart, plural } from '../../parts/words/format.ts';
import { WINDOW_WORDS } from '../../parts/filter/window-choice.tsx';
import { needsPerson } from './attention.ts';

interface FiguresProps {
  syncs: readonly Sync[];
  total: number;
  metrics: Metrics | undefined;
}

/** The few numbers that say whether everything is in order. */
export function Figures({ syncs, total, metrics }: FiguresProps) {
  const count = (health: Sync['health']): number => syncs.filter((sync) => sync.health === health).length;
  const waiting = syncs.filter(needsPerson).length;
  const running = count('running');
  const words = metrics && WINDOW_WORDS[metrics.window];
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md" component="dl" m={0}>
      <Figure label="In sync" value={`${formatCount(count('synced'))} of ${formatCount(total)}`} note={plural(total, 'synchronization')} />
      <Figure
        label="Need attention"
        value={formatCount(waiting)}
        note={waiting === 0 ? 'nothing to do' : 'see below'}
        {...(waiting > 0 && { color: 'var(--status-bad)' })}
      />
      <Figure
        label="Running now"
        value={formatCount(running)}
        note={count('queued') > 0 ? `${formatCount(count('queued'))} queued` : 'none queued'}
      />
      <Figure
        label="Rows read"
        value={metrics ? formatCompact(metrics.rows.read) : '…'}
        note={
          metrics?.success_rate === null || metrics?.success_rate === undefined
            ? `no run ended in ${words ?? 'this time'}`
            : `${formatPart(metrics.success_rate)} of runs succeeded in ${words}`
        }
      />
    </SimpleGrid>
  );
}
