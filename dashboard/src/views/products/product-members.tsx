import { Anchor, Code, List } from '@mantine/core';
import type { Product } from '../../api/resources.ts';
import { Section } from '../../parts/page/section.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';

type Variant = NonNullable<Product['variants']>[number];
type Prices = NonNullable<Product['prices']>;

/** `CHF 12.50, USD 13.00` */
export function pricesText(prices: Prices): string {
  return Object.entries(prices)
    .map(([currency, amount]) => formatMoney(Number(amount), currency))
    .join(', ');
}

const VARIANT_COLUMNS: readonly Column<Variant>[] = [
  { header: 'SKU', cell: ({ sku }) => <OutsideText>{sku}</OutsideText> },
  { header: 'Name', cell: ({ name, options }) => <OutsideText>{name ?? optionsText(options)}</OutsideText> },
  { header: 'Barcode', cell: ({ barcode }) => <OutsideText>{barcode ?? ''}</OutsideText> },
  { header: 'Price', cell: variantPrice, numeric: true, width: 180 },
];

function variantPrice({ price, prices }: Variant): string {
  const told = [...(price === undefined ? [] : [formatDecimal(price)]), ...(prices ? [pricesText(prices)] : [])];
  return told.length > 0 ? told.join(', ') : 'as the product';
}

function optionsText(options: Variant['options'] = {}): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
}

/** What a product has that others do not: variants, images, attributes. */
export function ProductMembers({ product: { variants = [], images = [], attributes } }: { product: Product }) {
  return (
    <>
      {variants.length > 0 && (
        <Section title="Variants" about="Stock is kept by product: a variant whose stock is tracked is a product of its own." flush>
          <DataTable label="Variants" columns={VARIANT_COLUMNS} rows={variants} rowKey={({ sku }) => sku} empty="" />
        </Section>
      )}
      {images.length > 0 && (
        <Section title="Images" about="By their addresses: this page loads nothing from elsewhere.">
          <List size="sm" spacing={4}>
            {images.map(({ url, alt }) => (
              <List.Item key={url} style={{ overflowWrap: 'anywhere' }}>
                <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
                  <OutsideText>{alt ?? url}</OutsideText>
                </Anchor>
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      {attributes && Object.keys(attributes).length > 0 && (
        <Section title="Attributes" about="What the sender of the product has kept with it.">
          <Code block tabIndex={0} aria-label="Attributes" className="outside-text">
            {visible(JSON.stringify(attributes, null, 2))}
          </Code>
        </Section>
      )}
    </>
  );
}
