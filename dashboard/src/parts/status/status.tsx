import { Group, Text, Tooltip } from '@mantine/core';
import type { Health, Run } from '../../api/resources.ts';

type Tone = 'good' | 'busy' | 'waiting' | 'warning' | 'bad';

const TONES: Record<string, Tone> = {
  // Synchronizations
  synced: 'good',
  running: 'busy',
  loading: 'busy',
  queued: 'busy',
  pending: 'waiting',
  paused: 'waiting',
  degraded: 'warning',
  needs_approval: 'warning',
  failing: 'bad',
  // Runs and their streams
  succeeded: 'good',
  partial: 'warning',
  retrying: 'warning',
  failed: 'bad',
  live: 'good',
  stopped: 'bad',
  cancelled: 'waiting',
  skipped: 'waiting',
  // Sources
  ok: 'good',
  unchecked: 'waiting',
  // Orders
  new: 'busy',
  processing: 'busy',
  on_hold: 'warning',
  shipped: 'good',
  delivered: 'good',
  returned: 'warning',
  // Deliveries, incidents and messages
  waiting: 'waiting',
  sent: 'good',
  unused: 'waiting',
  // Keys and others
  active: 'good',
  expired: 'waiting',
  revoked: 'waiting',
  disabled: 'waiting',
  alive: 'good',
  lost: 'bad',
};

const WORDS: Record<string, string> = { ok: 'OK', partial: 'With rejects', synced: 'In sync', unused: 'Not used yet' };

/** A status in a word. A word that we do not know is shown as it is: later versions may have more. */
export function statusWord(status: string): string {
  return WORDS[status] ?? (status.charAt(0).toUpperCase() + status.slice(1)).replaceAll('_', ' ');
}

interface StatusBadgeProps {
  status: string;
  /** More about it, for those who point at it. */
  reason?: string | null | undefined;
}

/** A status as a coloured dot and a word: the word alone says it, for those who see no colours. */
export function StatusBadge({ status, reason }: StatusBadgeProps) {
  const tone = TONES[status] ?? 'waiting';
  const badge = (
    <Group gap={6} wrap="nowrap" display="inline-flex">
      <span
        className="status-dot"
        style={{ color: `var(--status-${tone})` }}
        {...((status === 'running' || status === 'loading' || status === 'retrying') && { 'data-moving': true })}
      />
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
