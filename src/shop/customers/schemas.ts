import { Decimal, JsonText, ListOf, Named, Nullable, Strict, Success, Time } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';
import { answeredMembers } from '../orders/members.ts';

const OrderEnd = (description: string) => Strict({ id: Type.String(), created_at: Time() }, { description });

const Customer = Named('Customer', {
  id: Type.String({ description: '`customer_id` of the orders.', examples: ['c-1001'] }),
  orders: Type.Integer({ description: 'How many orders there are, in whatever state.' }),
  first_order: OrderEnd('The oldest of them.'),
  last_order: OrderEnd('The newest of them.'),
  totals: Type.Array(Strict({ currency: Type.String(), orders: Type.Integer(), total: Decimal() }), {
    description: 'Σ `total` of the orders of each currency; exact.',
  }),
  customer: Nullable(JsonText(answeredMembers.customer)),
});

const EXAMPLE_CUSTOMER = {
  id: 'c-1001',
  orders: 2,
  first_order: { id: 'ord_01kfa0v2m3f8rb4v3k7m2t9xqe', created_at: '2026-11-01T09:30:00.000Z' },
  last_order: { id: 'ord_01kfa0v2m3f8rb4v3k7m2t9xqf', created_at: '2026-11-02T09:30:00.000Z' },
  totals: [{ currency: 'EUR', orders: 2, total: 119.94 }],
  customer: { email: 'jo@example.com', name: 'Jo Doe' },
};

const ERASURE_STATES = ['running', 'done'] as const;

/** What is kept of an erasure: nothing that tells who it was. */
export const Erasure = Named('Erasure', {
  id: Type.String({ examples: ['era_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  status: Type.Unsafe<(typeof ERASURE_STATES)[number]>({
    type: 'string',
    enum: [...ERASURE_STATES],
    description: 'Work goes on behind `running`, also when the service is restarted.',
  }),
  customer_id: Nullable(
    Type.String({
      description: 'What stands in their orders from now on in place of the id that named them; null when it was several persons.',
    }),
  ),
  orders: Type.Integer({ description: 'How many orders it was taken out of so far.' }),
  requested_by: Type.String({ description: 'The id of the key, or `retention`.' }),
  created_at: Time(),
  finished_at: Nullable(Time()),
});

export const EXAMPLE_ERASURE = {
  id: 'era_01kfa0v2m3f8rb4v3k7m2t9xqe',
  status: 'done',
  customer_id: 'erased-01kfa0v2m3f8rb4v3k7m2t9xqe',
  orders: 2,
  requested_by: 'key_01kf9zzz5tf3sv8q0d1h6c2w7m',
  created_at: '2026-11-03T09:30:00.000Z',
  finished_at: '2026-11-03T09:30:01.000Z',
};

export const CustomerId = Strict({ id: Type.String({ minLength: 1, maxLength: 64, description: '`customer_id` of the orders.' }) });

export const CustomerList = ListOf(Customer);
export const OneCustomer = Success(Customer);
export const EXAMPLES = {
  list: { success: true, data: [EXAMPLE_CUSTOMER], total: 1, next_cursor: null },
  one: { success: true, data: EXAMPLE_CUSTOMER },
};
