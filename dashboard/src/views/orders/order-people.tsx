import { Badge, Group, Text } from '@mantine/core';
import type { Order } from '../../api/resources.ts';
import { Facts } from '../../parts/page/facts.tsx';
import { Section } from '../../parts/page/section.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { paidWord } from './order-words.ts';

/** Who ordered, who pays and how, where it goes, and what was noted: what the order has of it. */
export function OrderPeople({ order }: { order: Order }) {
  const { customer, payment, billing_address } = order;
  return (
    <>
      {customer && (
        <Section title="Customer">
          <Texts
            texts={[
              ['Name', customer.name],
              ['E-mail', customer.email],
              ['Phone', customer.phone],
              ['Company', customer.company],
              ['Tax id', customer.tax_id],
            ]}
          />
        </Section>
      )}
      <Section title="Shipping address">
        {order.shipping_address === null ? (
          <Text size="sm" c="dimmed">
            The order has none.
          </Text>
        ) : (
          <Address address={order.shipping_address} />
        )}
      </Section>
      {billing_address && (
        <Section title="Billing address">
          <Address address={billing_address} />
        </Section>
      )}
      {payment && (
        <Section title="Payment">
          <Texts
            texts={[
              ['Status', payment.status && paidWord(payment.status)],
              ['Method', payment.method],
              ['Reference', payment.reference],
              ['Paid', payment.paid_at && formatMoment(payment.paid_at)],
            ]}
          />
        </Section>
      )}
      <Noted order={order} />
    </>
  );
}

function Noted({ order: { note, tags = [] } }: { order: Order }) {
  if (note === undefined && tags.length === 0) return null;
  return (
    <Section title={note === undefined ? 'Tags' : 'Note'}>
      {note !== undefined && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          <OutsideText>{note}</OutsideText>
        </Text>
      )}
      {tags.length > 0 && (
        <Group gap="xs" mt={note === undefined ? 0 : 'xs'}>
          {tags.map((tag) => (
            <Badge key={tag} variant="light" color="gray" tt="none">
              <OutsideText>{tag}</OutsideText>
            </Badge>
          ))}
        </Group>
      )}
    </Section>
  );
}

function Address({ address }: { address: NonNullable<Order['shipping_address']> }) {
  return (
    <Texts
      texts={[
        ['Name', address.name],
        ['Street', address.street],
        ['City', address.zip === undefined ? address.city : `${address.zip} ${address.city}`],
        ['State', address.state],
        ['Country', address.country],
        ['Phone', address.phone],
      ]}
    />
  );
}

function Texts({ texts }: { texts: readonly (readonly [string, string | undefined])[] }) {
  return <Facts facts={texts.map(([name, text]) => [name, text && <OutsideText key={name}>{text}</OutsideText>])} />;
}
