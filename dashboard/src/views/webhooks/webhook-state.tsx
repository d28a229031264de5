import { Group, Stack, Text } from '@mantine/core';
import type { Webhook } from '../../api/resources.ts';
import { Facts } from '../../parts/page/facts.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { formatCount, formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { shownStatus } from './webhook-words.ts';

/** How the endpoint is, what waits for it, and what to do where something is to be done. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { status, status_reason, status_at, failing_since, next_attempt_at, waiting, failed, last_delivered_at, position } = webhook;
  return (
    <Section title="Status">
      <Stack gap="sm">
        <Group gap="sm">
          <StatusBadge status={shownStatus(webhook)} />
          <Text size="sm" style={{ flex: '1 1 24ch' }}>
            {status_reason === null ? stateWords(webhook) : <OutsideText>{status_reason}</OutsideText>}
          </Text>
        </Group>
        <Facts
          facts={[
            ['Waiting', formatCount(waiting)],
            ['Failed', failed === 0 ? '0' : `${formatCount(failed)}, kept for 30 days: replay them when the receiver is well`],
            ['Last delivered', last_delivered_at === null ? 'never' : <RelativeTime key="delivered" time={last_delivered_at} />],
            ['Failing since', failing_since === null ? undefined : formatMoment(failing_since)],
            [
              'Next attempt',
              next_attempt_at === null || status !== 'active' ? undefined : <NextAttempt key="next" time={next_attempt_at} isActive />,
            ],
            ['Since', status === 'active' ? undefined : formatMoment(status_at)],
            ['Position in the feed', formatCount(position)],
          ]}
        />
      </Stack>
    </Section>
  );
}

function stateWords({ status, failing_since }: Webhook): string {
  if (status === 'paused') return 'Nothing is sent. What happens meanwhile is kept and follows in order when you resume it.';
  if (status === 'disabled') return 'The receiver said that it is gone for good (410). Nothing is sent until you resume it.';
  if (failing_since === null) return 'Events are sent as they happen.';
  return 'The receiver takes nothing. It is tried again by itself, and paused after five days.';
}
