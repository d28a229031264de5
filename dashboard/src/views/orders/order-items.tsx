import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Order } from '../../api/resources.ts';
import { formatCount, plural } from '../../parts/words/format.ts';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useMay } from '../../shell/me.tsx';
import { productHref } from '../products/product-address.ts';

/** What was ordered, line by line, with the sum. */
export function OrderItems({ order: { items, total, currency } }: { order: Order }) {
  const mayLook = useMay()('products:read');
  return (
    <Section title="Items" about={plural(items.length, 'line')} flush>
      <Table.ScrollContainer minWidth={320} tabIndex={0} aria-label="Items" role="region">
        <Table aria-label="Items">
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
              // oxlint-disable-next-line react/no-array-index-key -- the lines of an order never change, and may be alike
              <Table.Tr key={line}>
                <Table.Td>
                  {item.product_known && mayLook ? (
                    <Anchor component={Link} href={productHref(item.product_id)} size="sm">
                      <OutsideText>{item.product_id}</OutsideText>
                    </Anchor>
                  ) : (
                    <OutsideText>{item.product_id}</OutsideText>
                  )}
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
            <Table.Tr>
              <Table.Th scope="row" colSpan={2}>
                Total
              </Table.Th>
              <Table.Td ta="right" fw={600} colSpan={2}>
                {formatMoney(total, currency)}
              </Table.Td>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}
