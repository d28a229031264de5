import { Type } from '../../lib/schema.ts';
import { Decimal, JsonText, Named, OneOf, Strict, Time, TimeInput } from '../../http/schemas.ts';
import { anyMember, oneMember } from '../../lib/member-choice.ts';
import { MAX_AMOUNT } from '../../lib/money.ts';
import { NO_POSTAL_CODES } from '../../lib/postal.ts';

// What an order may have beyond its lines and its address. All of it is optional, and what was not given is not answered.

const LATER = 'Later versions of v1 may add values.';

const text = (maxLength: number, description?: string) => Type.String({ minLength: 1, maxLength, ...(description && { description }) });
const Amount = (description: string) =>
  Type.Number({ minimum: 0, maximum: MAX_AMOUNT, description: `${description} At most four decimals; it is taken as it is.` });
const Percent = (maximum: number, description: string) =>
  Type.Number({ minimum: 0, maximum, description: `${description} At most four decimals.`, examples: [19] });
const Metadata = () =>
  Type.Object({}, { additionalProperties: true, description: 'Anything of yours, up to 16 KiB as JSON and 32 levels deep.' });

const addressFields = {
  street: Type.String({ minLength: 1, maxLength: 255, description: 'Street and building.' }),
  city: Type.String({ minLength: 1, maxLength: 100 }),
  zip: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20,
      description: 'Postal code. Mandatory, unless `country` names a country that has none.',
    }),
  ),
  country: Type.Optional(Type.String({ maxLength: 100, description: 'A code of ISO 3166 or a name.' })),
  state: Type.Optional(Type.String({ maxLength: 100 })),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  phone: Type.Optional(Type.String({ maxLength: 50 })),
};

/** An address as it is answered, and as it has to be given. */
export const Address = Named('Address', addressFields);
export const NewAddress = Named('NewAddress', addressFields, {
  'x-required-unless': { zip: { member: 'country', values: NO_POSTAL_CODES } },
});

const discountInput = {
  code: Type.Optional(text(100, 'What the customer entered, or what you call it.')),
  amount: Type.Optional(Amount('So much off. Either this or `percent`.')),
  percent: Type.Optional(Percent(100, 'Such a part off. Either this or `amount`.')),
};
const DiscountInput = (description: string) => Strict(discountInput, { description, ...oneMember('amount', 'percent') });
const TaxInput = (description: string) =>
  Strict(
    {
      rate: Type.Optional(Percent(1000, 'In percent: 19 is 19 %.')),
      amount: Type.Optional(Amount('What the tax is. When it is given, it counts; else it is computed from `rate`.')),
    },
    { description, ...anyMember('rate', 'amount') },
  );

export const newLineMembers = {
  name: Type.Optional(text(255, 'What the line is called, as the customer saw it.')),
  sku: Type.Optional(text(100)),
  variant: Type.Optional(text(255, 'Such as a colour and a size.')),
  discount: Type.Optional(DiscountInput('Off quantity × price of this line.')),
  tax: Type.Optional(TaxInput('On what is left of this line after its discount and its part of the discounts of the order.')),
  metadata: Type.Optional(Metadata()),
};

const customerFields = {
  email: Type.Optional(text(254)),
  name: Type.Optional(text(255)),
  phone: Type.Optional(text(50)),
  company: Type.Optional(text(255)),
  tax_id: Type.Optional(text(50, 'Such as a VAT number.')),
};

const PAYMENT_STATUSES = ['pending', 'authorized', 'paid', 'partially_refunded', 'refunded', 'voided', 'failed'] as const;
const paymentFields = {
  status: Type.Optional(OneOf(PAYMENT_STATUSES, { description: LATER })),
  method: Type.Optional(text(100, 'Such as card or invoice.')),
  reference: Type.Optional(text(255, 'What the provider of the payment calls it.')),
};

const noted = {
  note: Type.Optional(text(5000, 'Words about the order.')),
  tags: Type.Optional(Type.Array(text(100), { maxItems: 100, uniqueItems: true })),
};

/** What a caller may say about the money of an order. */
export const newMoneyMembers = {
  prices_include_tax: Type.Optional(
    Type.Boolean({ description: 'Whether the prices, and that of shipping, have their taxes in them. They have not, when left out.' }),
  ),
  shipping: Type.Optional(
    Named('NewOrderShipping', {
      method: Type.Optional(text(100)),
      price: Amount('What shipping costs.'),
      tax: Type.Optional(TaxInput('On the price of shipping.')),
    }),
  ),
  discounts: Type.Optional(
    Type.Array(DiscountInput('Off the sum of the lines, after their own discounts. Never off shipping.'), { maxItems: 100 }),
  ),
  taxes: Type.Optional(
    Type.Array(
      Named(
        'NewOrderTax',
        {
          name: Type.Optional(text(100)),
          rate: Type.Optional(Percent(1000, 'In percent, of the lines and the shipping that have no tax of their own.')),
          amount: Type.Optional(Amount('What the tax is. When it is given, it counts; else it is computed from `rate`.')),
        },
        anyMember('rate', 'amount'),
      ),
      { maxItems: 100 },
    ),
  ),
};

export const EXPECTED_TOTAL = {
  expected_total: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_AMOUNT,
      description: 'What the order has to come to. When it comes to another total it is refused, and the error shows both. It is not kept.',
    }),
  ),
};

/** What a caller may say about those who have to do with an order. */
export const newOtherMembers = {
  customer: Type.Optional(Named('NewOrderCustomer', customerFields)),
  billing_address: Type.Optional(NewAddress),
  payment: Type.Optional(Named('NewOrderPayment', { ...paymentFields, paid_at: Type.Optional(TimeInput('When it was paid.')) })),
  ...noted,
  channel: Type.Optional(text(64, 'Where the order comes from, such as web or store.')),
  reserve: Type.Optional(
    Type.Boolean({
      description:
        'Take all lines from stock, or answer OUT_OF_STOCK and make no order. Lines of products whose stock is not tracked, or that are not known, take nothing.',
    }),
  ),
};

const Discount = Named('Discount', {
  code: Type.Optional(Type.String()),
  percent: Type.Optional(Decimal()),
  amount: Decimal({ description: 'What it takes off.' }),
});
const answeredTax = { rate: Type.Optional(Decimal({ description: 'In percent.' })), amount: Decimal({ description: 'What the tax is.' }) };
const Tax = Named('Tax', answeredTax);

export const answeredLineMembers = {
  name: Type.Optional(Type.String()),
  sku: Type.Optional(Type.String()),
  variant: Type.Optional(Type.String()),
  discount: Type.Optional(Discount),
  tax: Type.Optional(Tax),
  metadata: Type.Optional(JsonText(Type.Object({}, { additionalProperties: true }))),
};

const whenMoney = (description: string) =>
  Type.Optional(Decimal({ description: `${description} There when the order has a discount, a tax or shipping.` }));

export const answeredMembers = {
  subtotal: whenMoney('Σ quantity × price.'),
  discount_total: whenMoney('All discounts together.'),
  shipping_total: whenMoney('What shipping costs.'),
  adjustment: Type.Optional(
    Decimal({
      description: 'Of an order that was brought in with a total of its own: what that is more, or less, than its parts come to.',
    }),
  ),
  tax_total: whenMoney('All taxes together. With `prices_include_tax` they are in the other parts, else they are added to them.'),
  prices_include_tax: Type.Optional(Type.Boolean()),
  shipping: Type.Optional(Named('OrderShipping', { method: Type.Optional(Type.String()), price: Decimal(), tax: Type.Optional(Tax) })),
  discounts: Type.Optional(Type.Array(Discount)),
  taxes: Type.Optional(Type.Array(Named('OrderTax', { name: Type.Optional(Type.String()), ...answeredTax }))),
  customer: Type.Optional(Named('OrderCustomer', customerFields)),
  billing_address: Type.Optional(Address),
  payment: Type.Optional(Named('OrderPayment', { ...paymentFields, paid_at: Type.Optional(Time()) })),
  ...noted,
  channel: Type.Optional(Type.String()),
  reserve: Type.Optional(Type.Literal(true)),
  imported: Type.Optional(Type.Literal(true)),
  placed_at: Type.Optional(Time('When the customer ordered, of an order that was brought in.')),
};
