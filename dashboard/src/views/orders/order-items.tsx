import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Order } from '../../api/resources.ts';
import { formatCount, plural } from '../../parts/words/format.ts';
import { formatDecimal } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useMay } from '../../shell/me.tsx';
import { productHref } from '../products/product-address.ts';
import { OrderSums } from './order-sums.tsx';

/** What was ordered, line by line, with the sum. */
export function OrderItems({ order }: { order: Order }) {
  const { items } = order;
  const mayLook = useMay()('products:read');
  return (
    <Section title="Items" about={plural(items.length, 'line')} flush>
      <Table.ScrollContainer type="native" minWidth={320} tabIndex={0} aria-label="Items" role="region">
        <Table aria-label="Items" className="edged" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Product</Table.Th>
              <Table.Th scope="col" ta="right">
                Quantity
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Price
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Sum
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="number">
            {items.map((item, line) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines are known by their place, and may be alike
              <Table.Tr key={line}>
                <Table.Td>
                  {item.product_known && mayLook ? (
                    <Anchor component={Link} href={productHref(item.product_id)} size="sm">
                      <OutsideText>{item.name ?? item.product_id}</OutsideText>
                    </Anchor>
                  ) : (
                    <OutsideText>{item.name ?? item.product_id}</OutsideText>
                  )}
                  <ItemDetails item={item} />
                  {!item.product_known && (
                    <Text size="xs" c="dimmed">
                      not in the catalogue when the order came
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right">{formatCount(item.quantity)}</Table.Td>
                <Table.Td ta="right">{formatDecimal(item.price)}</Table.Td>
                <Table.Td ta="right">{formatDecimal(item.line_total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot className="number">
            <OrderSums order={order} />
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

/** What else is known of a line: its name, its number, what was taken off and the tax on it. */
function ItemDetails({ item }: { item: Order['items'][number] }) {
  // The id is told where a name stands in its place, and a number of its own only where it is another one.
  const id = item.name === undefined ? undefined : item.product_id;
  const named = [item.variant, id, item.sku === item.product_id ? undefined : item.sku].filter((text) => text !== undefined);
  const { discount, tax } = item;
  const off = discount && `${formatDecimal(discount.amount)} off${discount.percent === undefined ? '' : ` (${discount.percent} %)`}`;
  const taxed = tax && `tax ${formatDecimal(tax.amount)}${tax.rate === undefined ? '' : ` (${tax.rate} %)`}`;
  const paid = [off, taxed].filter((text) => text !== undefined);
  return (
    <>
      {named.length > 0 && (
        <Text size="xs" c="dimmed">
          <OutsideText>{named.join(', ')}</OutsideText>
        </Text>
      )}
      {paid.length > 0 && (
        <Text size="xs" c="dimmed">
          {paid.join(', ')}
        </Text>
      )}
    </>
  );
}
