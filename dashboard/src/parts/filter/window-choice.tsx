import { SegmentedControl } from '@mantine/core';
import type { Metrics } from '../../api/resources.ts';

export type Window = Metrics['window'];

const WINDOWS: { value: Window; label: string }[] = [
  { value: '1h', label: 'Hour' },
  { value: '24h', label: 'Day' },
  { value: '7d', label: 'Week' },
  { value: '30d', label: 'Month' },
];

export const WINDOW_WORDS: Record<Window, string> = {
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};

/** How far back to look. */
export function WindowChoice({ window, onChange }: { window: Window; onChange: (window: Window) => void }) {
  return <SegmentedControl aria-label="Time" size="xs" data={WINDOWS} value={window} onChange={onChange} />;
}
