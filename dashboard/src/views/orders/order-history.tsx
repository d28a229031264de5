import { Text, Timeline } from '@mantine/core';
import type { Order } from '../../api/resources.ts';
import { formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { statusWord } from '../../parts/status/status.tsx';

/** What the service itself gives for a reason names a deed by its id. */
const BY_DEED = /^(fulfillment|return|refund) (?:ful|ret|rfd)_[0-9a-z]{26}$/;
const DEED_WORDS: Readonly<Record<string, string>> = { fulfillment: 'by a parcel', return: 'by a return', refund: 'by a refund' };

function reasonWords(reason: string): string {
  return DEED_WORDS[BY_DEED.exec(reason)?.[1] ?? ''] ?? reason;
}

/** Every state the order has been in, the latest first, with the reasons that were given. */
export function OrderHistory({ order: { history } }: { order: Order }) {
  return (
    <Section title="History">
      <Timeline bulletSize={14} lineWidth={2} role="list" aria-label="History">
        {history.toReversed().map(({ status, at, reason }, place) => (
          <Timeline.Item key={`${at} ${history.length - place}`} title={statusWord(status)} role="listitem">
            {reason !== null && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <OutsideText>{reasonWords(reason)}</OutsideText>
              </Text>
            )}
            <Text size="xs" c="dimmed">
              <RelativeTime time={at} />, {formatMoment(at)}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Section>
  );
}

/** Who has changed what the order says, the latest first. */
export function OrderChanges({ order: { changes = [] } }: { order: Order }) {
  if (changes.length === 0) return null;
  return (
    <Section title="Changes">
      <Timeline bulletSize={14} lineWidth={2} role="list" aria-label="Changes">
        {changes.toReversed().map(({ version, at, by, members }) => (
          <Timeline.Item key={version} title={members.map((member) => member.replaceAll('_', ' ')).join(', ')} role="listitem">
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <RelativeTime time={at} />, {formatMoment(at)}, by <OutsideText>{by}</OutsideText>
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Section>
  );
}
