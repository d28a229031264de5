import { Anchor, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Order } from '../../../api/resources.ts';
import { ScopedButton } from '../../../parts/action/scoped-button.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { formatMoment } from '../../../parts/words/format.ts';
import { formatMoney } from '../../../parts/words/money.ts';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import { paidWord, shippedWord, statesText } from '../order-words.ts';
import { DeedDialog } from './deed-dialog.tsx';
import { DEEDS } from './deed-words.ts';
import { type DeedKind, leftOfLines, leftOfTotal } from './left.ts';

/** As the service sees it: of these nothing can be given back. */
const UNPAID: ReadonlySet<string> = new Set(['pending', 'authorized', 'voided', 'failed']);

const KINDS: readonly DeedKind[] = ['fulfillments', 'returns', 'refunds'];

/** What was shipped, has come back and was refunded, and what can be. */
export function OrderDeeds({ order, refetch }: { order: Order; refetch: () => unknown }) {
  const [asking, setAsking] = useState<{ kind: DeedKind; version: number }>();
  const { fulfillments = [], returns = [], refunds = [], fulfillment_status, payment_status } = order;
  const states = [
    ...(fulfillment_status === undefined ? [] : [shippedWord(fulfillment_status)]),
    ...(payment_status === undefined ? [] : [paidWord(payment_status)]),
  ];
  return (
    <Section
      title="Parcels and refunds"
      about={states.length > 0 ? statesText(states) : undefined}
      actions={KINDS.map((kind) => (
        <ScopedButton
          key={kind}
          scope="orders:write"
          unavailable={unavailable(order, kind)}
          look={{ size: 'xs' }}
          // What is decided is decided about the order as it is seen now.
          onClick={() => setAsking({ kind, version: order.version })}
        >
          {DEEDS[kind].verb}
        </ScopedButton>
      ))}
    >
      <Stack gap="sm">
        {fulfillments.length + returns.length + refunds.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing was shipped in parcels, returned or refunded yet.
          </Text>
        )}
        {fulfillments.map(({ id, created_at, lines, tracking, location }) => (
          <Deed
            key={id}
            what="Parcel"
            at={created_at}
            lines={linesText(order, lines)}
            notes={[tracking?.carrier, tracking?.number, location]}
          >
            {tracking?.url !== undefined && (
              <Anchor href={tracking.url} target="_blank" rel="noreferrer" size="sm">
                Track the parcel
              </Anchor>
            )}
          </Deed>
        ))}
        {returns.map(({ id, created_at, lines, reason, restock, location }) => (
          <Deed
            key={id}
            what={restock ? 'Return, back in stock' : 'Return'}
            at={created_at}
            lines={linesText(order, lines)}
            notes={[reason, location]}
          />
        ))}
        {refunds.map(({ id, created_at, amount, lines = [], reason, restock, location }) => (
          <Deed
            key={id}
            what={`Refund of ${formatMoney(amount, order.currency)}${restock ? ', not to be shipped' : ''}`}
            at={created_at}
            lines={linesText(order, lines)}
            notes={[reason, location]}
          />
        ))}
      </Stack>
      {asking && (
        <DeedDialog
          key={`${asking.kind} ${asking.version}`}
          order={order}
          kind={asking.kind}
          version={asking.version}
          refetch={refetch}
          onClose={() => setAsking(undefined)}
        />
      )}
    </Section>
  );
}

interface DeedProps {
  what: string;
  at: string;
  lines: string;
  notes: readonly (string | undefined)[];
  children?: ReactNode;
}

function Deed({ what, at, lines, notes, children }: DeedProps) {
  const told = notes.filter((note) => note !== undefined);
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {what}
        </Text>
        <Text size="xs" c="dimmed">
          {formatMoment(at)}
        </Text>
      </Group>
      {lines !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <OutsideText>{lines}</OutsideText>
        </Text>
      )}
      {told.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <OutsideText>{told.join(' · ')}</OutsideText>
        </Text>
      )}
      {children}
    </div>
  );
}

function linesText({ items }: Order, lines: readonly { line: number; quantity: number }[]): string {
  return lines.map(({ line, quantity }) => `${quantity} × ${items[line - 1]?.name ?? items[line - 1]?.product_id ?? line}`).join(', ');
}

/** Why it cannot be done now; undefined when it can. */
function unavailable(order: Order, kind: DeedKind): string | undefined {
  if (kind === 'fulfillments' && order.status === 'on_hold') return 'The order is on hold.';
  if (kind === 'refunds' && UNPAID.has(order.payment?.status ?? '')) return 'Nothing of it was paid, so nothing can be given back.';
  const isLeft = kind === 'refunds' ? leftOfTotal(order) > 0 : leftOfLines(order, kind).some((left) => left > 0);
  return isLeft ? undefined : DEEDS[kind].nothing;
}
