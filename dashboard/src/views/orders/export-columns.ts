import type { Order } from '../../api/resources.ts';

/** A JSON value whose numbers are the digits that were sent: a total passes through no binary fraction. */
export type Exact<Value> = Value extends number ? string : Value extends object ? { [Member in keyof Value]: Exact<Value[Member]> } : Value;

type ExactOrder = Exact<Order>;
type Cells = readonly (string | null | undefined)[];

/** What an export can have a row for. */
export interface ExportKind {
  /** The beginning of the name of the file. */
  name: string;
  label: string;
  header: readonly string[];
  rows: (order: ExactOrder) => readonly Cells[];
}

export const EXPORTS: readonly ExportKind[] = [
  {
    name: 'orders',
    label: 'A row for each order',
    header: [
      'id',
      'status',
      'created_at',
      'updated_at',
      'customer_id',
      'external_id',
      'currency',
      'total',
      'items',
      'name',
      'street',
      'zip',
      'city',
      'state',
      'country',
      'phone',
      'subtotal',
      'discount_total',
      'shipping_total',
      'tax_total',
      'email',
      'channel',
    ],
    rows: (order) => {
      const address = order.shipping_address;
      return [
        [
          order.id,
          order.status,
          order.created_at,
          order.updated_at,
          order.customer_id,
          order.external_id,
          order.currency,
          order.total,
          String(order.items.length),
          address?.name,
          address?.street,
          address?.zip,
          address?.city,
          address?.state,
          address?.country,
          address?.phone,
          order.subtotal,
          order.discount_total,
          order.shipping_total,
          order.tax_total,
          order.customer?.email,
          order.channel,
        ],
      ];
    },
  },
  {
    name: 'order-items',
    label: 'A row for each item',
    header: [
      'order_id',
      'status',
      'created_at',
      'customer_id',
      'external_id',
      'currency',
      'product_id',
      'quantity',
      'price',
      'line_total',
      'product_known',
      'name',
      'sku',
      'variant',
      'discount',
      'tax',
    ],
    rows: (order) =>
      order.items.map((item) => [
        order.id,
        order.status,
        order.created_at,
        order.customer_id,
        order.external_id,
        order.currency,
        item.product_id,
        item.quantity,
        item.price,
        item.line_total,
        String(item.product_known),
        item.name,
        item.sku,
        item.variant,
        item.discount?.amount,
        item.tax?.amount,
      ]),
  },
];
