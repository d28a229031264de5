import { Group, Text, Tooltip } from '@mantine/core';
import type { Health, Run } from '../../api/resources.ts';
import { type Shape, StatusShape, type Tone } from './status-shape.tsx';

/** Each state has a shape of its own among those it stands beside. */
const LOOKS: Record<string, readonly [Tone, Shape]> = {
  // Synchronizations
  synced: ['good', 'check'],
  running: ['busy', 'half'],
  loading: ['busy', 'half'],
  queued: ['busy', 'clock'],
  pending: ['waiting', 'ring'],
  paused: ['waiting', 'pause'],
  degraded: ['warning', 'triangle'],
  needs_approval: ['warning', 'triangle'],
  failing: ['bad', 'cross'],
  // Runs and their streams
  succeeded: ['good', 'check'],
  partial: ['warning', 'triangle'],
  retrying: ['warning', 'clock'],
  failed: ['bad', 'cross'],
  live: ['good', 'dot'],
  stopped: ['bad', 'cross'],
  cancelled: ['waiting', 'slash'],
  skipped: ['waiting', 'slash'],
  // Sources
  ok: ['good', 'check'],
  unchecked: ['waiting', 'ring'],
  // Orders
  new: ['busy', 'dot'],
  processing: ['busy', 'half'],
  on_hold: ['warning', 'pause'],
  shipped: ['good', 'arrow'],
  delivered: ['good', 'check'],
  returned: ['warning', 'back'],
  // Deliveries, incidents and messages
  waiting: ['waiting', 'clock'],
  sent: ['good', 'check'],
  unused: ['waiting', 'ring'],
  // Keys and others
  active: ['good', 'check'],
  expired: ['waiting', 'clock'],
  revoked: ['waiting', 'slash'],
  disabled: ['waiting', 'pause'],
  alive: ['good', 'check'],
  lost: ['bad', 'cross'],
};

const WORDS: Record<string, string> = { ok: 'OK', partial: 'With rejects', synced: 'In sync', unused: 'Not used yet' };

/** A status in a word. A word that we do not know is shown as it is: later versions may have more. */
export function statusWord(status: string): string {
  return WORDS[status] ?? (status.charAt(0).toUpperCase() + status.slice(1)).replaceAll('_', ' ');
}

/** The colour of a status. */
export function toneColor(status: string): string {
  return `var(--status-${LOOKS[status]?.[0] ?? 'waiting'})`;
}

interface StatusBadgeProps {
  status: string;
  /** More about it, for those who point at it. */
  reason?: string | null | undefined;
}

/** A status as a shape, a colour and a word: the word alone says it, for those who see neither. */
export function StatusBadge({ status, reason }: StatusBadgeProps) {
  const [tone, shape] = LOOKS[status] ?? ['waiting', 'ring'];
  const moving = status === 'running' || status === 'loading' || status === 'retrying';
  const badge = (
    // As high as the line that it stands in: by its baseline, which is that of the shape, it would stand above the words beside it.
    <Group gap={6} wrap="nowrap" display="inline-flex" style={{ verticalAlign: 'top' }}>
      <StatusShape shape={shape} tone={tone} moving={moving} />
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {statusWord(status)}
      </Text>
    </Group>
  );
  return reason ? (
    <Tooltip label={reason} multiline maw={360}>
      {badge}
    </Tooltip>
  ) : (
    badge
  );
}

/** The health of a synchronization. */
export function HealthBadge({ health, reason }: { health: Health; reason?: string }) {
  return <StatusBadge status={health} reason={reason} />;
}

/** The states in which a run may still change. */
export function isUnderWay(status: Run['status']): boolean {
  return ['queued', 'running', 'retrying', 'needs_approval'].includes(status);
}
