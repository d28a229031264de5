// What customers and administrators of a Vendure do, each over the API that they have.

// oxlint-disable-next-line no-explicit-any -- answers of every shape
type Data = any;

/** One who asks, and is known by the token of the first answer. */
function asker(url: string): (query: string, variables?: object) => Promise<Data> {
  let token = '';
  return async (query, variables = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query, variables }),
    });
    token = answer.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = (await answer.json()) as { data?: Data; errors?: unknown };
    const [first] = Object.values(data ?? {}) as { errorCode?: string }[];
    if (errors !== undefined || first?.errorCode !== undefined) throw new Error(`${query}: ${JSON.stringify(errors ?? first)}`);
    return first;
  };
}

const FAILED = '__typename ... on ErrorResult { errorCode message }';

/** What an order has, as its administrator sees it. */
export interface VendureOrder {
  id: string;
  code: string;
  state: string;
  lines: { id: string; quantity: number; orderPlacedQuantity: number }[];
  payments: { id: string; amount: number }[];
}

const ORDER = 'id code state lines { id quantity orderPlacedQuantity } payments { id amount }';

/** Guests who order and pay. */
export async function placeOrder(shop: string, n: number, lines: readonly { variant: string; quantity: number }[]): Promise<string> {
  const ask = asker(`${shop}/shop-api`);
  for (const { variant, quantity } of lines)
    await ask(`mutation { addItemToOrder(productVariantId: "${variant}", quantity: ${quantity}) { ${FAILED} } }`);
  const customer = { emailAddress: `guest${n}@example.com`, firstName: 'Guest', lastName: `No ${n}` };
  await ask(`mutation($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { ${FAILED} } }`, { input: customer });
  const address = { fullName: `Guest No ${n}`, streetLine1: `Street ${n}`, city: 'Graz', postalCode: '8010', countryCode: 'AT' };
  await ask(`mutation($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { ${FAILED} } }`, { input: address });
  const [method] = await ask('{ eligibleShippingMethods { id } }');
  await ask(`mutation { setOrderShippingMethod(shippingMethodId: ["${method.id}"]) { ${FAILED} } }`);
  await ask(`mutation { transitionOrderToState(state: "ArrangingPayment") { ${FAILED} } }`);
  const [payment] = await ask('{ eligiblePaymentMethods { code } }');
  const paid = await ask(
    `mutation { addPaymentToOrder(input: { method: "${payment.code}", metadata: {} }) { ${FAILED} ... on Order { code } } }`,
  );
  return paid.code as string;
}

export interface VendureAdmin {
  variants(): Promise<string[]>;
  order(code: string): Promise<VendureOrder>;
  cancel(code: string): Promise<void>;
  /** Gives so many cents back, which is settled at once. */
  refund(code: string, cents: number, reason: string): Promise<void>;
  ship(code: string, state: 'Shipped' | 'Delivered'): Promise<void>;
}

export async function vendureAdmin(shop: string, password: string): Promise<VendureAdmin> {
  const ask = asker(`${shop}/admin-api`);
  await ask(`mutation { login(username: "sync", password: "${password}") { ${FAILED} } }`);
  const order = async (code: string): Promise<VendureOrder> =>
    (await ask(`{ orders(options: { filter: { code: { eq: "${code}" } } }) { items { ${ORDER} } } }`)).items[0];
  return {
    variants: async () => (await ask('{ productVariants { items { id } } }')).items.map(({ id }: Data) => id),
    order,
    cancel: async (code) => {
      const { id } = await order(code);
      await ask(`mutation($input: CancelOrderInput!) { cancelOrder(input: $input) { ${FAILED} } }`, {
        input: { orderId: id, reason: 'not wanted any more', cancelShipping: true },
      });
    },
    refund: async (code, cents, reason) => {
      const { payments } = await order(code);
      const input = { lines: [], shipping: 0, adjustment: 0, amount: cents, paymentId: payments[0]?.id, reason };
      const refund = await ask(`mutation($input: RefundOrderInput!) { refundOrder(input: $input) { ${FAILED} ... on Refund { id } } }`, {
        input,
      });
      await ask(`mutation { settleRefund(input: { id: "${refund.id}", transactionId: "paid back" }) { ${FAILED} } }`);
    },
    ship: async (code, state) => {
      const { id, lines } = await order(code);
      const handler = {
        code: 'manual-fulfillment',
        arguments: [
          { name: 'method', value: 'post' },
          { name: 'trackingCode', value: '17' },
        ],
      };
      const input = { lines: lines.map((line) => ({ orderLineId: line.id, quantity: line.quantity })), handler };
      const fulfilment = await ask(
        `mutation($input: FulfillOrderInput!) { addFulfillmentToOrder(input: $input) { ${FAILED} ... on Fulfillment { id } } }`,
        { input },
      );
      for (const to of state === 'Shipped' ? ['Shipped'] : ['Shipped', 'Delivered'])
        await ask(`mutation { transitionFulfillmentToState(id: "${fulfilment.id}", state: "${to}") { ${FAILED} } }`);
      if ((await order(code)).state !== state) throw new Error(`${id} is not ${state}`);
    },
  };
}
