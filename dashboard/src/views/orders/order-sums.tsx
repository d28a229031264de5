import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Order } from '../../api/resources.ts';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { exactly, leftOfTotal } from './deeds/left.ts';

/** How the total comes about, part by part; of an order that has no parts, the total alone. */
export function OrderSums({ order }: { order: Order }) {
  const { subtotal, shipping, total, currency } = order;
  return (
    <>
      {subtotal !== undefined && (
        <>
          <Sum name="Subtotal">{formatDecimal(subtotal)}</Sum>
          {order.discount_total !== undefined && order.discount_total > 0 && (
            <Sum name={<Named word="Discounts" by={order.discounts?.map(({ code }) => code)} />}>
              −{formatDecimal(order.discount_total)}
            </Sum>
          )}
          {shipping && <Sum name={<Named word="Shipping" by={[shipping.method]} />}>{formatDecimal(shipping.price)}</Sum>}
          {!order.prices_include_tax && <Taxes order={order} word="Taxes" />}
          {order.adjustment !== undefined && <Sum name="Difference to what was paid">{formatDecimal(order.adjustment)}</Sum>}
        </>
      )}
      <Sum name="Total" isTotal>
        {formatMoney(total, currency)}
      </Sum>
      {order.prices_include_tax && <Taxes order={order} word="Taxes in it" />}
      <Refunded order={order} />
    </>
  );
}

/** What was given back, and what that leaves. */
function Refunded({ order }: { order: Order }) {
  const { refunds = [], total, currency } = order;
  if (refunds.length === 0) return null;
  const left = leftOfTotal(order);
  return (
    <>
      <Sum name={refunds.length === 1 ? 'Refunded' : `Refunded, ${refunds.length} times`}>−{formatDecimal(exactly(total - left))}</Sum>
      <Sum name="Left of the total" isTotal>
        {formatMoney(left, currency)}
      </Sum>
    </>
  );
}

function Taxes({ order: { tax_total, taxes }, word }: { order: Order; word: string }) {
  if (tax_total === undefined) return null;
  return <Sum name={<Named word={word} by={taxes?.map(({ name }) => name)} />}>{formatDecimal(tax_total)}</Sum>;
}

/** A word, and what the sender of the order calls it. */
function Named({ word, by = [] }: { word: string; by?: readonly (string | undefined)[] | undefined }) {
  const names = by.filter((name) => name !== undefined);
  if (names.length === 0) return word;
  return (
    <>
      {word} (<OutsideText>{names.join(', ')}</OutsideText>)
    </>
  );
}

function Sum({ name, isTotal = false, children }: { name: ReactNode; isTotal?: boolean; children: ReactNode }) {
  return (
    <Table.Tr style={{ borderBottom: 0 }}>
      <Table.Th scope="row" colSpan={2} py={6} fw={isTotal ? 600 : 400}>
        {name}
      </Table.Th>
      <Table.Td ta="right" fw={isTotal ? 600 : 400} colSpan={2} py={6}>
        {children}
      </Table.Td>
    </Table.Tr>
  );
}
