// Made from /openapi.json by `npm run dashboard:types`. Do not edit.

export interface Operations {
  'GET /api/v1/orders': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      q?: string;
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      product_id?: string;
      currency?: string;
      channel?: string;
      tag?: string;
      created_from?: string;
      created_to?: string;
      updated_since?: string;
      sort?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | '-total' | 'total';
      expand?: 'items' | 'all';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
        total: number;
        created_at: string;
        updated_at?: string;
        version?: number;
        customer_id?: string;
        currency?: string;
        external_id?: string | null;
        items?: Array<{
          product_id: string;
          quantity: number;
          price: number;
          line_total: number;
          product_known: boolean;
          name?: string;
          sku?: string;
          variant?: string;
          discount?: { code?: string; percent?: number; amount: number };
          tax?: { rate?: number; amount: number };
          metadata?: { [name: string]: unknown };
        }>;
        shipping_address?: {
          street: string;
          city: string;
          zip?: string;
          country?: string;
          state?: string;
          name?: string;
          phone?: string;
        } | null;
        metadata?: { [name: string]: unknown };
        subtotal?: number;
        discount_total?: number;
        shipping_total?: number;
        adjustment?: number;
        tax_total?: number;
        prices_include_tax?: boolean;
        shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
        discounts?: Array<{ code?: string; percent?: number; amount: number }>;
        taxes?: Array<{ name?: string; rate?: number; amount: number }>;
        customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
        billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
        payment?: {
          status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
          method?: string;
          reference?: string;
          paid_at?: string;
        };
        note?: string;
        tags?: Array<string>;
        channel?: string;
        reserve?: true;
        imported?: true;
        placed_at?: string;
        fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
        payment_status?: string;
        fulfillments?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          tracking?: { carrier?: string; number?: string; url?: string };
          location?: string;
        }>;
        returns?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        refunds?: Array<{
          id: string;
          created_at: string;
          amount: number;
          external_id?: string;
          lines?: Array<{ line: number; quantity: number; amount?: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        most_lines?: number;
        changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
        history?: Array<{
          status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
          at: string;
          reason: string | null;
        }>;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders': {
    params: {};
    query: {};
    body: {
      customer_id: string;
      items: Array<{
        product_id: string;
        quantity: number;
        price: number;
        name?: string;
        sku?: string;
        variant?: string;
        discount?: { code?: string; amount?: number; percent?: number };
        tax?: { rate?: number; amount?: number };
        metadata?: { [name: string]: unknown };
      }>;
      shipping_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
      external_id?: string;
      currency?: string;
      metadata?: { [name: string]: unknown };
      prices_include_tax?: boolean;
      shipping?: { method?: string; price: number; tax?: { rate?: number; amount?: number } };
      discounts?: Array<{ code?: string; amount?: number; percent?: number }>;
      taxes?: Array<{ name?: string; rate?: number; amount?: number }>;
      expected_total?: number;
      customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
      billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
      payment?: {
        status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
        method?: string;
        reference?: string;
        paid_at?: string;
      };
      note?: string;
      tags?: Array<string>;
      channel?: string;
      reserve?: boolean;
    };
    answer: {
      success: true;
      data: {
        id: string;
        status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
        total: number;
        created_at: string;
        updated_at: string;
        version: number;
        customer_id: string;
        currency: string;
        external_id: string | null;
        items: Array<{
          product_id: string;
          quantity: number;
          price: number;
          line_total: number;
          product_known: boolean;
          name?: string;
          sku?: string;
          variant?: string;
          discount?: { code?: string; percent?: number; amount: number };
          tax?: { rate?: number; amount: number };
          metadata?: { [name: string]: unknown };
        }>;
        shipping_address: {
          street: string;
          city: string;
          zip?: string;
          country?: string;
          state?: string;
          name?: string;
          phone?: string;
        } | null;
        metadata: { [name: string]: unknown };
        subtotal?: number;
        discount_total?: number;
        shipping_total?: number;
        adjustment?: number;
        tax_total?: number;
        prices_include_tax?: boolean;
        shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
        discounts?: Array<{ code?: string; percent?: number; amount: number }>;
        taxes?: Array<{ name?: string; rate?: number; amount: number }>;
        customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
        billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
        payment?: {
          status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
          method?: string;
          reference?: string;
          paid_at?: string;
        };
        note?: string;
        tags?: Array<string>;
        channel?: string;
        reserve?: true;
        imported?: true;
        placed_at?: string;
        fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
        payment_status?: string;
        fulfillments?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          tracking?: { carrier?: string; number?: string; url?: string };
          location?: string;
        }>;
        returns?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        refunds?: Array<{
          id: string;
          created_at: string;
          amount: number;
          external_id?: string;
          lines?: Array<{ line: number; quantity: number; amount?: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        most_lines?: number;
        changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
        history: Array<{
          status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
          at: string;
          reason: string | null;
        }>;
      };
    };
  };
  'POST /api/v1/orders/batch': {
    params: {};
    query: {};
    body: Array<{
      customer_id: string;
      items: Array<{
        product_id: string;
        quantity: number;
        price: number;
        name?: string;
        sku?: string;
        variant?: string;
        discount?: { code?: string; amount?: number; percent?: number };
        tax?: { rate?: number; amount?: number };
        metadata?: { [name: string]: unknown };
      }>;
      shipping_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
      external_id?: string;
      currency?: string;
      metadata?: { [name: string]: unknown };
      prices_include_tax?: boolean;
      shipping?: { method?: string; price: number; tax?: { rate?: number; amount?: number } };
      discounts?: Array<{ code?: string; amount?: number; percent?: number }>;
      taxes?: Array<{ name?: string; rate?: number; amount?: number }>;
      expected_total?: number;
      customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
      billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
      payment?: {
        status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
        method?: string;
        reference?: string;
        paid_at?: string;
      };
      note?: string;
      tags?: Array<string>;
      channel?: string;
      reserve?: boolean;
      imported?: boolean;
      placed_at?: string;
      status?: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
      history?: Array<{
        status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
        at: string;
        reason?: string | null;
      }>;
      total?: number;
    }>;
    answer: {
      success: true;
      data: Array<{
        index: number;
        success: boolean;
        data?: {
          id: string;
          status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
          total: number;
          created_at: string;
          version: number;
          external_id: string | null;
          replayed?: true;
        };
        error?: { code: string; message: string; details: { [name: string]: unknown } };
      }>;
      total: number;
      failed: number;
    };
  };
  'GET /api/v1/orders/export': {
    params: {};
    query: {
      q?: string;
      status?: Array<'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned'>;
      customer_id?: string;
      external_id?: string;
      product_id?: string;
      currency?: string;
      channel?: string;
      tag?: string;
      created_from?: string;
      created_to?: string;
      updated_since?: string;
      format?: 'csv' | 'jsonl' | 'parquet';
      rows?: 'orders' | 'lines';
    };
    body: undefined;
    answer: unknown;
  };
  'GET /api/v1/orders/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
        total: number;
        created_at: string;
        updated_at: string;
        version: number;
        customer_id: string;
        currency: string;
        external_id: string | null;
        items: Array<{
          product_id: string;
          quantity: number;
          price: number;
          line_total: number;
          product_known: boolean;
          name?: string;
          sku?: string;
          variant?: string;
          discount?: { code?: string; percent?: number; amount: number };
          tax?: { rate?: number; amount: number };
          metadata?: { [name: string]: unknown };
        }>;
        shipping_address: {
          street: string;
          city: string;
          zip?: string;
          country?: string;
          state?: string;
          name?: string;
          phone?: string;
        } | null;
        metadata: { [name: string]: unknown };
        subtotal?: number;
        discount_total?: number;
        shipping_total?: number;
        adjustment?: number;
        tax_total?: number;
        prices_include_tax?: boolean;
        shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
        discounts?: Array<{ code?: string; percent?: number; amount: number }>;
        taxes?: Array<{ name?: string; rate?: number; amount: number }>;
        customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
        billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
        payment?: {
          status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
          method?: string;
          reference?: string;
          paid_at?: string;
        };
        note?: string;
        tags?: Array<string>;
        channel?: string;
        reserve?: true;
        imported?: true;
        placed_at?: string;
        fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
        payment_status?: string;
        fulfillments?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          tracking?: { carrier?: string; number?: string; url?: string };
          location?: string;
        }>;
        returns?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        refunds?: Array<{
          id: string;
          created_at: string;
          amount: number;
          external_id?: string;
          lines?: Array<{ line: number; quantity: number; amount?: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        most_lines?: number;
        changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
        history: Array<{
          status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
          at: string;
          reason: string | null;
        }>;
      };
    };
  };
  'PATCH /api/v1/orders/{id}': {
    params: { id: string };
    query: {};
    body: {
      shipping_address?: {
        street?: string | null;
        city?: string | null;
        zip?: string | null;
        country?: string | null;
        state?: string | null;
        name?: string | null;
        phone?: string | null;
      } | null;
      billing_address?: {
        street?: string | null;
        city?: string | null;
        zip?: string | null;
        country?: string | null;
        state?: string | null;
        name?: string | null;
        phone?: string | null;
      } | null;
      customer?: {
        email?: string | null;
        name?: string | null;
        phone?: string | null;
        company?: string | null;
        tax_id?: string | null;
      } | null;
      payment?: {
        status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed' | null;
        method?: string | null;
        reference?: string | null;
        paid_at?: string | null;
      } | null;
      note?: string | null;
      tags?: Array<string> | null;
      metadata?: { [name: string]: unknown } | null;
      items?: Array<{
        product_id: string;
        quantity: number;
        price: number;
        name?: string;
        sku?: string;
        variant?: string;
        discount?: { code?: string; amount?: number; percent?: number };
        tax?: { rate?: number; amount?: number };
        metadata?: { [name: string]: unknown };
      }>;
      shipping?: { method?: string | null; price?: number | null; tax?: { rate?: number | null; amount?: number | null } | null } | null;
      discounts?: Array<{ code?: string; amount?: number; percent?: number }> | null;
      taxes?: Array<{ name?: string; rate?: number; amount?: number }> | null;
      prices_include_tax?: boolean | null;
      expected_total?: number;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            id: string;
            status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
            total: number;
            created_at: string;
            updated_at: string;
            version: number;
            customer_id: string;
            currency: string;
            external_id: string | null;
            items: Array<{
              product_id: string;
              quantity: number;
              price: number;
              line_total: number;
              product_known: boolean;
              name?: string;
              sku?: string;
              variant?: string;
              discount?: { code?: string; percent?: number; amount: number };
              tax?: { rate?: number; amount: number };
              metadata?: { [name: string]: unknown };
            }>;
            shipping_address: {
              street: string;
              city: string;
              zip?: string;
              country?: string;
              state?: string;
              name?: string;
              phone?: string;
            } | null;
            metadata: { [name: string]: unknown };
            subtotal?: number;
            discount_total?: number;
            shipping_total?: number;
            adjustment?: number;
            tax_total?: number;
            prices_include_tax?: boolean;
            shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
            discounts?: Array<{ code?: string; percent?: number; amount: number }>;
            taxes?: Array<{ name?: string; rate?: number; amount: number }>;
            customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
            billing_address?: {
              street: string;
              city: string;
              zip?: string;
              country?: string;
              state?: string;
              name?: string;
              phone?: string;
            };
            payment?: {
              status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
              method?: string;
              reference?: string;
              paid_at?: string;
            };
            note?: string;
            tags?: Array<string>;
            channel?: string;
            reserve?: true;
            imported?: true;
            placed_at?: string;
            fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
            payment_status?: string;
            fulfillments?: Array<{
              id: string;
              created_at: string;
              lines: Array<{ line: number; quantity: number }>;
              tracking?: { carrier?: string; number?: string; url?: string };
              location?: string;
            }>;
            returns?: Array<{
              id: string;
              created_at: string;
              lines: Array<{ line: number; quantity: number }>;
              reason?: string;
              restock: boolean;
              location?: string;
            }>;
            refunds?: Array<{
              id: string;
              created_at: string;
              amount: number;
              external_id?: string;
              lines?: Array<{ line: number; quantity: number; amount?: number }>;
              reason?: string;
              restock: boolean;
              location?: string;
            }>;
            most_lines?: number;
            changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
            history: Array<{
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              at: string;
              reason: string | null;
            }>;
          }
        | {
            id: string;
            status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
            version: number;
            updated_at: string;
          };
    };
  };
  'POST /api/v1/orders/{id}/transitions': {
    params: { id: string };
    query: {};
    body: {
      to: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
      reason?: string;
      restock?: boolean;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            id: string;
            status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
            total: number;
            created_at: string;
            updated_at: string;
            version: number;
            customer_id: string;
            currency: string;
            external_id: string | null;
            items: Array<{
              product_id: string;
              quantity: number;
              price: number;
              line_total: number;
              product_known: boolean;
              name?: string;
              sku?: string;
              variant?: string;
              discount?: { code?: string; percent?: number; amount: number };
              tax?: { rate?: number; amount: number };
              metadata?: { [name: string]: unknown };
            }>;
            shipping_address: {
              street: string;
              city: string;
              zip?: string;
              country?: string;
              state?: string;
              name?: string;
              phone?: string;
            } | null;
            metadata: { [name: string]: unknown };
            subtotal?: number;
            discount_total?: number;
            shipping_total?: number;
            adjustment?: number;
            tax_total?: number;
            prices_include_tax?: boolean;
            shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
            discounts?: Array<{ code?: string; percent?: number; amount: number }>;
            taxes?: Array<{ name?: string; rate?: number; amount: number }>;
            customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
            billing_address?: {
              street: string;
              city: string;
              zip?: string;
              country?: string;
              state?: string;
              name?: string;
              phone?: string;
            };
            payment?: {
              status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
              method?: string;
              reference?: string;
              paid_at?: string;
            };
            note?: string;
            tags?: Array<string>;
            channel?: string;
            reserve?: true;
            imported?: true;
            placed_at?: string;
            fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
            payment_status?: string;
            fulfillments?: Array<{
              id: string;
              created_at: string;
              lines: Array<{ line: number; quantity: number }>;
              tracking?: { carrier?: string; number?: string; url?: string };
              location?: string;
            }>;
            returns?: Array<{
              id: string;
              created_at: string;
              lines: Array<{ line: number; quantity: number }>;
              reason?: string;
              restock: boolean;
              location?: string;
            }>;
            refunds?: Array<{
              id: string;
              created_at: string;
              amount: number;
              external_id?: string;
              lines?: Array<{ line: number; quantity: number; amount?: number }>;
              reason?: string;
              restock: boolean;
              location?: string;
            }>;
            most_lines?: number;
            changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
            history: Array<{
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              at: string;
              reason: string | null;
            }>;
          }
        | {
            id: string;
            status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
            version: number;
            updated_at: string;
          };
    };
  };
  'POST /api/v1/orders/{id}/fulfillments': {
    params: { id: string };
    query: {};
    body: {
      lines?: Array<{ line: number; quantity?: number }>;
      tracking?: { carrier?: string; number?: string; url?: string };
      location?: string;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            id: string;
            created_at: string;
            lines: Array<{ line: number; quantity: number }>;
            tracking?: { carrier?: string; number?: string; url?: string };
            location?: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
              fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
              payment_status?: string;
            };
          }
        | {
            id: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
            };
          };
    };
  };
  'GET /api/v1/orders/{id}/fulfillments': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        created_at: string;
        lines: Array<{ line: number; quantity: number }>;
        tracking?: { carrier?: string; number?: string; url?: string };
        location?: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders/{id}/returns': {
    params: { id: string };
    query: {};
    body: {
      lines?: Array<{ line: number; quantity?: number }>;
      reason?: string;
      restock?: boolean;
      location?: string;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            id: string;
            created_at: string;
            lines: Array<{ line: number; quantity: number }>;
            reason?: string;
            restock: boolean;
            location?: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
              fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
              payment_status?: string;
            };
          }
        | {
            id: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
            };
          };
    };
  };
  'GET /api/v1/orders/{id}/returns': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        created_at: string;
        lines: Array<{ line: number; quantity: number }>;
        reason?: string;
        restock: boolean;
        location?: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/orders/{id}/refunds': {
    params: { id: string };
    query: {};
    body: {
      lines?: Array<{ line: number; quantity?: number }>;
      amount?: number;
      reason?: string;
      restock?: boolean;
      location?: string;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            id: string;
            created_at: string;
            amount: number;
            external_id?: string;
            lines?: Array<{ line: number; quantity: number; amount?: number }>;
            reason?: string;
            restock: boolean;
            location?: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
              fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
              payment_status?: string;
            };
          }
        | {
            id: string;
            order: {
              id: string;
              status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
              version: number;
              updated_at: string;
            };
          };
    };
  };
  'GET /api/v1/orders/{id}/refunds': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        created_at: string;
        amount: number;
        external_id?: string;
        lines?: Array<{ line: number; quantity: number; amount?: number }>;
        reason?: string;
        restock: boolean;
        location?: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/customers': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        orders: number;
        first_order: { id: string; created_at: string };
        last_order: { id: string; created_at: string };
        totals: Array<{ currency: string; orders: number; total: number }>;
        customer: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string } | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/customers/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        orders: number;
        first_order: { id: string; created_at: string };
        last_order: { id: string; created_at: string };
        totals: Array<{ currency: string; orders: number; total: number }>;
        customer: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string } | null;
      };
    };
  };
  'GET /api/v1/customers/{id}/orders': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
        total: number;
        created_at: string;
        updated_at?: string;
        version?: number;
        customer_id?: string;
        currency?: string;
        external_id?: string | null;
        items?: Array<{
          product_id: string;
          quantity: number;
          price: number;
          line_total: number;
          product_known: boolean;
          name?: string;
          sku?: string;
          variant?: string;
          discount?: { code?: string; percent?: number; amount: number };
          tax?: { rate?: number; amount: number };
          metadata?: { [name: string]: unknown };
        }>;
        shipping_address?: {
          street: string;
          city: string;
          zip?: string;
          country?: string;
          state?: string;
          name?: string;
          phone?: string;
        } | null;
        metadata?: { [name: string]: unknown };
        subtotal?: number;
        discount_total?: number;
        shipping_total?: number;
        adjustment?: number;
        tax_total?: number;
        prices_include_tax?: boolean;
        shipping?: { method?: string; price: number; tax?: { rate?: number; amount: number } };
        discounts?: Array<{ code?: string; percent?: number; amount: number }>;
        taxes?: Array<{ name?: string; rate?: number; amount: number }>;
        customer?: { email?: string; name?: string; phone?: string; company?: string; tax_id?: string };
        billing_address?: { street: string; city: string; zip?: string; country?: string; state?: string; name?: string; phone?: string };
        payment?: {
          status?: 'pending' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided' | 'failed';
          method?: string;
          reference?: string;
          paid_at?: string;
        };
        note?: string;
        tags?: Array<string>;
        channel?: string;
        reserve?: true;
        imported?: true;
        placed_at?: string;
        fulfillment_status?: 'unfulfilled' | 'partial' | 'fulfilled' | 'partially_returned' | 'returned';
        payment_status?: string;
        fulfillments?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          tracking?: { carrier?: string; number?: string; url?: string };
          location?: string;
        }>;
        returns?: Array<{
          id: string;
          created_at: string;
          lines: Array<{ line: number; quantity: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        refunds?: Array<{
          id: string;
          created_at: string;
          amount: number;
          external_id?: string;
          lines?: Array<{ line: number; quantity: number; amount?: number }>;
          reason?: string;
          restock: boolean;
          location?: string;
        }>;
        most_lines?: number;
        changes?: Array<{ version: number; at: string; by: string; members: Array<string>; lines?: number }>;
        history?: Array<{
          status: 'new' | 'on_hold' | 'processing' | 'shipped' | 'delivered' | 'cancelled' | 'returned';
          at: string;
          reason: string | null;
        }>;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/customers/{id}/erase': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        status: 'running' | 'done';
        customer_id: string | null;
        orders: number;
        requested_by: string;
        created_at: string;
        finished_at: string | null;
      };
    };
  };
  'GET /api/v1/erasures': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        status: 'running' | 'done';
        customer_id: string | null;
        orders: number;
        requested_by: string;
        created_at: string;
        finished_at: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/erasures/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        status: 'running' | 'done';
        customer_id: string | null;
        orders: number;
        requested_by: string;
        created_at: string;
        finished_at: string | null;
      };
    };
  };
  'GET /api/v1/products': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; category?: string; updated_since?: string; q?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        product_id: string;
        name: string;
        price: number;
        stock_quantity: number;
        categories: Array<string>;
        version: number;
        created_at: string;
        updated_at: string;
        track_stock?: boolean;
        allow_backorder?: boolean;
        sku?: string;
        barcode?: string;
        status?: 'active' | 'draft' | 'archived';
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        variants?: Array<{
          sku: string;
          name?: string;
          barcode?: string;
          options?: { [name: string]: unknown };
          price?: number;
          prices?: { [name: string]: unknown };
          weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        }>;
        images?: Array<{ url: string; alt?: string }>;
        attributes?: { [name: string]: unknown };
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/products/sync': {
    params: {};
    query: {};
    body: {
      product_id: string;
      name?: string;
      price?: number;
      stock_quantity?: number;
      categories?: Array<string>;
      stock_as_of?: string;
      track_stock?: boolean;
      allow_backorder?: boolean;
      sku?: string | null;
      barcode?: string | null;
      status?: 'active' | 'draft' | 'archived' | null;
      prices?: { [name: string]: unknown } | null;
      weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' } | null;
      variants?: Array<{
        sku: string;
        name?: string;
        barcode?: string;
        options?: { [name: string]: unknown };
        price?: number;
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
      }> | null;
      images?: Array<{ url: string; alt?: string }> | null;
      attributes?: { [name: string]: unknown } | null;
    };
    answer: {
      success: true;
      data: {
        product_id: string;
        name: string;
        price: number;
        stock_quantity: number;
        categories: Array<string>;
        version: number;
        created_at: string;
        updated_at: string;
        track_stock?: boolean;
        allow_backorder?: boolean;
        sku?: string;
        barcode?: string;
        status?: 'active' | 'draft' | 'archived';
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        variants?: Array<{
          sku: string;
          name?: string;
          barcode?: string;
          options?: { [name: string]: unknown };
          price?: number;
          prices?: { [name: string]: unknown };
          weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        }>;
        images?: Array<{ url: string; alt?: string }>;
        attributes?: { [name: string]: unknown };
        result: 'created' | 'updated' | 'unchanged';
        changed: Array<string>;
      };
    };
  };
  'POST /api/v1/products/sync/batch': {
    params: {};
    query: {};
    body: Array<{
      product_id: string;
      name?: string;
      price?: number;
      stock_quantity?: number;
      categories?: Array<string>;
      stock_as_of?: string;
      track_stock?: boolean;
      allow_backorder?: boolean;
      sku?: string | null;
      barcode?: string | null;
      status?: 'active' | 'draft' | 'archived' | null;
      prices?: { [name: string]: unknown } | null;
      weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' } | null;
      variants?: Array<{
        sku: string;
        name?: string;
        barcode?: string;
        options?: { [name: string]: unknown };
        price?: number;
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
      }> | null;
      images?: Array<{ url: string; alt?: string }> | null;
      attributes?: { [name: string]: unknown } | null;
    }>;
    answer: {
      success: true;
      data: Array<{
        index: number;
        success: boolean;
        data?: {
          product_id: string;
          name: string;
          price: number;
          stock_quantity: number;
          categories: Array<string>;
          version: number;
          created_at: string;
          updated_at: string;
          track_stock?: boolean;
          allow_backorder?: boolean;
          sku?: string;
          barcode?: string;
          status?: 'active' | 'draft' | 'archived';
          prices?: { [name: string]: unknown };
          weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
          variants?: Array<{
            sku: string;
            name?: string;
            barcode?: string;
            options?: { [name: string]: unknown };
            price?: number;
            prices?: { [name: string]: unknown };
            weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
          }>;
          images?: Array<{ url: string; alt?: string }>;
          attributes?: { [name: string]: unknown };
          result: 'created' | 'updated' | 'unchanged';
          changed: Array<string>;
        };
        error?: { code: string; message: string; details: { [name: string]: unknown } };
      }>;
      total: number;
      failed: number;
    };
  };
  'GET /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        product_id: string;
        name: string;
        price: number;
        stock_quantity: number;
        categories: Array<string>;
        version: number;
        created_at: string;
        updated_at: string;
        track_stock?: boolean;
        allow_backorder?: boolean;
        sku?: string;
        barcode?: string;
        status?: 'active' | 'draft' | 'archived';
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        variants?: Array<{
          sku: string;
          name?: string;
          barcode?: string;
          options?: { [name: string]: unknown };
          price?: number;
          prices?: { [name: string]: unknown };
          weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
        }>;
        images?: Array<{ url: string; alt?: string }>;
        attributes?: { [name: string]: unknown };
      };
    };
  };
  'PATCH /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: {
      name?: string;
      price?: number;
      stock_quantity?: number;
      categories?: Array<string>;
      stock_as_of?: string;
      track_stock?: boolean;
      allow_backorder?: boolean;
      sku?: string | null;
      barcode?: string | null;
      status?: 'active' | 'draft' | 'archived' | null;
      prices?: { [name: string]: unknown } | null;
      weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' } | null;
      variants?: Array<{
        sku: string;
        name?: string;
        barcode?: string;
        options?: { [name: string]: unknown };
        price?: number;
        prices?: { [name: string]: unknown };
        weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
      }> | null;
      images?: Array<{ url: string; alt?: string }> | null;
      attributes?: { [name: string]: unknown } | null;
      expected_version?: number;
    };
    answer: {
      success: true;
      data:
        | {
            product_id: string;
            name: string;
            price: number;
            stock_quantity: number;
            categories: Array<string>;
            version: number;
            created_at: string;
            updated_at: string;
            track_stock?: boolean;
            allow_backorder?: boolean;
            sku?: string;
            barcode?: string;
            status?: 'active' | 'draft' | 'archived';
            prices?: { [name: string]: unknown };
            weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
            variants?: Array<{
              sku: string;
              name?: string;
              barcode?: string;
              options?: { [name: string]: unknown };
              price?: number;
              prices?: { [name: string]: unknown };
              weight?: { value: number; unit: 'g' | 'kg' | 'oz' | 'lb' };
            }>;
            images?: Array<{ url: string; alt?: string }>;
            attributes?: { [name: string]: unknown };
            result: 'created' | 'updated' | 'unchanged';
            changed: Array<string>;
          }
        | { product_id: string; version: number; updated_at: string; result: 'updated' | 'unchanged'; changed: Array<string> };
    };
  };
  'DELETE /api/v1/products/{product_id}': {
    params: { product_id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { product_id: string; deleted: true } };
  };
  'GET /api/v1/products/{product_id}/stock': {
    params: { product_id: string };
    query: { limit?: number; offset?: number; cursor?: string; location?: string };
    body: undefined;
    answer: {
      success: true;
      data: {
        product_id: string;
        on_hand: number;
        reserved: number;
        available: number;
        locations: Array<{ location: string; on_hand: number; reserved: number; available: number }>;
        track_stock: boolean;
        allow_backorder: boolean;
        movements: Array<{
          id: string;
          product_id: string;
          location: string;
          kind: 'opened' | 'adjusted' | 'counted' | 'shipped' | 'returned' | 'closed';
          delta: number;
          on_hand?: number;
          reason: string | null;
          order_id: string | null;
          as_of: string | null;
          at: string;
        }>;
      };
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/stock/movements': {
    params: {};
    query: {};
    body:
      | { product_id: string; location?: string; delta: number; reason?: string }
      | Array<{ product_id: string; location?: string; delta: number; reason?: string }>;
    answer: {
      success: true;
      data:
        | {
            id: string;
            product_id: string;
            location: string;
            kind: 'opened' | 'adjusted' | 'counted' | 'shipped' | 'returned' | 'closed';
            delta: number;
            on_hand?: number;
            reason: string | null;
            order_id: string | null;
            as_of: string | null;
            at: string;
          }
        | Array<{
            id: string;
            product_id: string;
            location: string;
            kind: 'opened' | 'adjusted' | 'counted' | 'shipped' | 'returned' | 'closed';
            delta: number;
            on_hand?: number;
            reason: string | null;
            order_id: string | null;
            as_of: string | null;
            at: string;
          }>;
    };
  };
  'GET /api/v1/datasync/sources': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        type: string;
        config: { [name: string]: unknown };
        status: 'unchecked' | 'ok' | 'failing';
        status_message: string | null;
        checked_at: string | null;
        created_at: string;
        updated_at: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sources': {
    params: {};
    query: {};
    body: { name: string; type: string; config: { [name: string]: unknown } };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        type: string;
        config: { [name: string]: unknown };
        status: 'unchecked' | 'ok' | 'failing';
        status_message: string | null;
        checked_at: string | null;
        created_at: string;
        updated_at: string;
        warnings: Array<string>;
      };
    };
  };
  'POST /api/v1/datasync/sources/check': {
    params: {};
    query: {};
    body: { type: string; config: { [name: string]: unknown }; id?: string };
    answer: {
      success: true;
      data: {
        ok: boolean;
        message: string;
        warnings: Array<string>;
        live_needs: Array<string> | null;
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          field: string | null;
        } | null;
        duration_ms: number;
      };
    };
  };
  'POST /api/v1/datasync/sources/outline': {
    params: {};
    query: {};
    body: { type: string; config: { [name: string]: unknown }; id?: string };
    answer: {
      success: true;
      data: {
        forms: Array<{ member: string; schema: { [name: string]: unknown } }>;
        streams: Array<string>;
        is_partial: boolean;
        unreadable: Array<{ name: string; needs: Array<string>; reason: string }>;
      } | null;
    };
  };
  'POST /api/v1/datasync/sources/sample': {
    params: {};
    query: {};
    body: { type: string; config: { [name: string]: unknown }; id?: string; stream: string; limit?: number };
    answer: {
      success: true;
      data: {
        fields: Array<{
          name: string;
          type:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
          nullable: boolean;
          native: string | null;
        }>;
        rows: Array<{ [name: string]: unknown }>;
        truncated: Array<string>;
        rejects: Array<string>;
      };
    };
  };
  'GET /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        type: string;
        config: { [name: string]: unknown };
        status: 'unchecked' | 'ok' | 'failing';
        status_message: string | null;
        checked_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'PUT /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: { name?: string; type?: string; config?: { [name: string]: unknown } };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        type: string;
        config: { [name: string]: unknown };
        status: 'unchecked' | 'ok' | 'failing';
        status_message: string | null;
        checked_at: string | null;
        created_at: string;
        updated_at: string;
        warnings: Array<string>;
      };
    };
  };
  'DELETE /api/v1/datasync/sources/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        type: string;
        config: { [name: string]: unknown };
        status: 'unchecked' | 'ok' | 'failing';
        status_message: string | null;
        checked_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/datasync/sources/{id}/check': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        ok: boolean;
        message: string;
        warnings: Array<string>;
        live_needs: Array<string> | null;
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          field: string | null;
        } | null;
        duration_ms: number;
      };
    };
  };
  'GET /api/v1/datasync/sources/{id}/streams': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; q?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        name: string;
        kind: 'table' | 'view' | 'file' | 'resource';
        fields: Array<{
          name: string;
          type:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
          nullable: boolean;
          native: string | null;
        }>;
        key: Array<string>;
        cursors: Array<string>;
        writable: boolean;
        readable: boolean;
        note: string | null;
        estimated_rows: number | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/sources/{id}/streams/{name}/sample': {
    params: { id: string; name: string };
    query: { limit?: number };
    body: undefined;
    answer: {
      success: true;
      data: {
        fields: Array<{
          name: string;
          type:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
          nullable: boolean;
          native: string | null;
        }>;
        rows: Array<{ [name: string]: unknown }>;
        truncated: Array<string>;
        rejects: Array<string>;
      };
    };
  };
  'POST /api/v1/datasync/sample': {
    params: {};
    query: {};
    body: undefined;
    answer: { success: true; data: { path: string; files: Array<{ name: string; rows: number }> } };
  };
  'GET /api/v1/datasync/connectors': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; q?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        type: string;
        title: string;
        description: string;
        category: 'database' | 'file' | 'api' | 'shop' | 'events' | 'other';
        keywords: Array<string>;
        promises: Array<string>;
        config: { [name: string]: unknown };
        abilities: {
          read: boolean;
          write: Array<'append' | 'upsert' | 'mirror'>;
          incremental: boolean;
          resumable: boolean;
          transactional: boolean;
          keyless_mirror: boolean;
          ranges: boolean;
          parts: boolean;
          creates_streams: boolean;
          deletes: boolean;
          filters: boolean;
          tells_changes: boolean;
          tells_deletions: boolean;
          log: boolean;
          applies: boolean;
          widens: boolean;
          differences: boolean;
          digests: boolean;
          keeps_tables: boolean;
          notes: string | null;
        };
        naming: {
          folds_case: boolean;
          default_schema: string | null;
          streams: Array<{ max_bytes: number | null; max_characters: number | null; pattern: string | null; why: string }>;
          fields: Array<{ max_bytes: number | null; max_characters: number | null; pattern: string | null; why: string }>;
        };
        shop_streams: Array<{ name: string; rows: 'orders' | 'products' }>;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/check': {
    params: {};
    query: {};
    body: {
      name?: string;
      source_id: string;
      target_id: string;
      streams: Array<{
        source: string;
        target?: string;
        mode?: 'mirror' | 'incremental' | 'append' | 'cdc';
        key?: Array<string>;
        cursor?: string | null;
        fields?: Array<{
          from?: string;
          to?: string;
          expression?: string;
          type?:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
        }> | null;
        filter?: Array<{
          field: string;
          op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
          value?: string | number | boolean | Array<string | number | boolean>;
        }>;
        deletes?: 'delete' | 'mark' | 'keep';
      }>;
      direction?: 'source_to_target' | 'two_way';
      schedule?:
        | { type: 'manual' }
        | { type: 'interval'; every: string }
        | { type: 'cron'; expression: string; timezone?: string }
        | { type: 'on_change' }
        | { type: 'after'; sync_id: string };
      on_reject?: 'quarantine' | 'fail';
      guard?: { max_delete_percent?: number; allow_empty?: boolean };
      schema_changes?: 'apply' | 'ignore' | 'stop';
      on_gap?: 'load' | 'stop';
      max_retained?: string | number;
      expect_every?: string | null;
      undo?: { keep: string; max_rows?: number } | null;
      verify?: { every: string } | null;
      sample_of?: number;
      limit?: number;
    };
    answer: {
      success: true;
      data: {
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        warnings: Array<string>;
        sample: {
          read: Array<{
            name: string;
            type:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }>;
          written: Array<{
            name: string;
            type:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }>;
          rows: Array<{
            before: { [name: string]: unknown };
            after: { [name: string]: unknown } | null;
            field: string | null;
            reason: string | null;
          }>;
        } | null;
      };
    };
  };
  'POST /api/v1/datasync/sync/schedule': {
    params: {};
    query: {};
    body: {
      schedule:
        | { type: 'manual' }
        | { type: 'interval'; every: string }
        | { type: 'cron'; expression: string; timezone?: string }
        | { type: 'on_change' }
        | { type: 'after'; sync_id: string };
      count?: number;
    };
    answer: {
      success: true;
      data: {
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        next_times: Array<string>;
      };
    };
  };
  'GET /api/v1/datasync/sync': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; status?: 'active' | 'paused' | 'all' };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync': {
    params: {};
    query: {};
    body: {
      name: string;
      source_id: string;
      target_id: string;
      streams: Array<{
        source: string;
        target?: string;
        mode?: 'mirror' | 'incremental' | 'append' | 'cdc';
        key?: Array<string>;
        cursor?: string | null;
        fields?: Array<{
          from?: string;
          to?: string;
          expression?: string;
          type?:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
        }> | null;
        filter?: Array<{
          field: string;
          op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
          value?: string | number | boolean | Array<string | number | boolean>;
        }>;
        deletes?: 'delete' | 'mark' | 'keep';
      }>;
      direction?: 'source_to_target' | 'two_way';
      schedule?:
        | { type: 'manual' }
        | { type: 'interval'; every: string }
        | { type: 'cron'; expression: string; timezone?: string }
        | { type: 'on_change' }
        | { type: 'after'; sync_id: string };
      on_reject?: 'quarantine' | 'fail';
      guard?: { max_delete_percent?: number; allow_empty?: boolean };
      schema_changes?: 'apply' | 'ignore' | 'stop';
      on_gap?: 'load' | 'stop';
      max_retained?: string | number;
      expect_every?: string | null;
      undo?: { keep: string; max_rows?: number } | null;
      verify?: { every: string } | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'GET /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'PUT /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: {
      name?: string;
      source_id?: string;
      target_id?: string;
      streams?: Array<{
        source: string;
        target?: string;
        mode?: 'mirror' | 'incremental' | 'append' | 'cdc';
        key?: Array<string>;
        cursor?: string | null;
        fields?: Array<{
          from?: string;
          to?: string;
          expression?: string;
          type?:
            | 'text'
            | 'int64'
            | 'decimal'
            | 'float64'
            | 'boolean'
            | 'date'
            | 'time'
            | 'timestamp'
            | 'timestamptz'
            | 'uuid'
            | 'json'
            | 'binary';
        }> | null;
        filter?: Array<{
          field: string;
          op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
          value?: string | number | boolean | Array<string | number | boolean>;
        }>;
        deletes?: 'delete' | 'mark' | 'keep';
      }>;
      direction?: 'source_to_target' | 'two_way';
      schedule?:
        | { type: 'manual' }
        | { type: 'interval'; every: string }
        | { type: 'cron'; expression: string; timezone?: string }
        | { type: 'on_change' }
        | { type: 'after'; sync_id: string };
      on_reject?: 'quarantine' | 'fail';
      guard?: { max_delete_percent?: number; allow_empty?: boolean };
      schema_changes?: 'apply' | 'ignore' | 'stop';
      on_gap?: 'load' | 'stop';
      max_retained?: string | number;
      expect_every?: string | null;
      undo?: { keep: string; max_rows?: number } | null;
      verify?: { every: string } | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'DELETE /api/v1/datasync/sync/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/datasync/sync/{id}/pause': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/datasync/sync/{id}/resume': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/datasync/sync/{id}/reset': {
    params: { id: string };
    query: {};
    body: { streams?: Array<string> } | undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        status: 'active' | 'paused';
        source_id: string;
        target_id: string;
        direction: 'source_to_target';
        schedule:
          | { type: 'manual' }
          | { type: 'interval'; every: string }
          | { type: 'cron'; expression: string; timezone?: string }
          | { type: 'on_change' }
          | { type: 'after'; sync_id: string };
        streams: Array<{
          source: string;
          target: string;
          mode: 'mirror' | 'incremental' | 'append' | 'cdc';
          key: Array<string>;
          cursor: string | null;
          fields: Array<{
            from?: string;
            expression?: string;
            to: string;
            type?:
              | 'text'
              | 'int64'
              | 'decimal'
              | 'float64'
              | 'boolean'
              | 'date'
              | 'time'
              | 'timestamp'
              | 'timestamptz'
              | 'uuid'
              | 'json'
              | 'binary';
          }> | null;
          filter: Array<{
            field: string;
            op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'is_null' | 'not_null';
            value?: string | Array<string>;
          }>;
          deletes: 'delete' | 'mark' | 'keep';
        }>;
        on_reject: 'quarantine' | 'fail';
        guard: { max_delete_percent?: number; allow_empty?: boolean };
        schema_changes: 'apply' | 'ignore' | 'stop';
        on_gap?: 'load' | 'stop';
        max_retained: string;
        expect_every: string | null;
        undo: { keep: string; max_rows?: number } | null;
        verify: { every: string } | null;
        verified: {
          at: string;
          result: 'equal' | 'differs' | 'changing';
          rows: number;
          digest: string;
          missing: number;
          extra: number;
          different: number;
          run_id: string;
          since: { at: string; by: 'run' | 'undo'; run_id: string } | null;
        } | null;
        health: 'running' | 'loading' | 'queued' | 'paused' | 'needs_approval' | 'failing' | 'pending' | 'degraded' | 'synced';
        health_reason: string;
        lag: { seconds: number; bytes: number | null; at: string } | null;
        retained: { bytes: number | null; max: number; lasts_seconds: number | null } | null;
        last_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        current_run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        } | null;
        next_run_at: string | null;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'GET /api/v1/datasync/hooks': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/hooks': {
    params: {};
    query: {};
    body: {
      name: string;
      scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
      secret?: string;
      header?: string;
      sync_id?: string | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
        token: string | null;
        url: string | null;
      };
    };
  };
  'GET /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'PUT /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: {
      name?: string;
      scheme?: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
      secret?: string;
      header?: string;
      sync_id?: string | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'DELETE /api/v1/datasync/hooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/datasync/hooks/{id}/rotate': {
    params: { id: string };
    query: {};
    body: { overlap_seconds?: number; secret?: string } | undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scheme: 'standard' | 'shopify' | 'woocommerce' | 'stripe' | 'github' | 'secret' | 'token';
        secret: string | null;
        header: string | null;
        sync_id: string | null;
        calls: number;
        last_call_at: string | null;
        refused: number;
        refused_at: string | null;
        refused_reason: string | null;
        version: number;
        created_at: string;
        updated_at: string;
        token: string | null;
        url: string | null;
      };
    };
  };
  'GET /api/v1/datasync/hooks/{id}/calls': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        sequence: number;
        sender_id: string | null;
        received_at: string;
        headers: { [name: string]: unknown };
        body: string;
        encoding: 'utf8' | 'base64';
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/{id}/runs': {
    params: { id: string };
    query: {};
    body: { streams?: Array<string>; mode?: 'run' | 'full' | 'preview' | 'verify' | 'repair' | 'repair_preview' } | undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
    };
  };
  'GET /api/v1/datasync/sync/{id}/runs': {
    params: { id: string };
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      proofs?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/runs': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
      sync_id?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/runs/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
    };
  };
  'GET /api/v1/datasync/runs/{id}/events': { params: { id: string }; query: {}; body: undefined; answer: unknown };
  'POST /api/v1/datasync/runs/{id}/cancel': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
      message?: string;
    };
  };
  'POST /api/v1/datasync/runs/{id}/approve': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
    };
  };
  'GET /api/v1/datasync/sync/{id}/rejects': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; stream?: string; status?: 'open' | 'resolved' | 'all' };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        stream: string;
        target: string;
        status: 'open' | 'resolved';
        field: string | null;
        reason: string;
        key: Array<string | boolean | null> | null;
        row: { [name: string]: unknown };
        first_run_id: string;
        last_run_id: string;
        created_at: string;
        updated_at: string;
        resolved_at: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/sync/{id}/rejects/retry': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
    };
  };
  'GET /api/v1/datasync/runs/{id}/rejects': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; stream?: string; status?: 'open' | 'resolved' };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        stream: string;
        target: string;
        status: 'open' | 'resolved';
        field: string | null;
        reason: string;
        key: Array<string | boolean | null> | null;
        row: { [name: string]: unknown };
        first_run_id: string;
        last_run_id: string;
        created_at: string;
        updated_at: string;
        resolved_at: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/datasync/runs/{id}/rejects/retry': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        sync_id: string;
        status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
        trigger: 'manual' | 'schedule' | 'change' | 'retry';
        triggered_by: { type: 'run' | 'hook'; id: string } | null;
        mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
        attempt: number;
        cancel_requested: boolean;
        created_at: string;
        next_attempt_at: string | null;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        streams: Array<{
          name: string;
          target: string;
          status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
          read: number;
          inserted: number;
          updated: number;
          deleted: number;
          unchanged: number;
          rejected: number;
          bytes: number;
          rows_per_second: number;
          estimated_total: number | null;
          checkpoint: string | null;
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: 'loading' | 'live' | 'stopped';
          schema_changes?: Array<string>;
          changes?: {
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            samples?: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
          };
          proof?: {
            result: 'equal' | 'differs' | 'changing';
            rows: number;
            digest: string;
            digest_of?: 'rows' | 'ranges';
            missing: number;
            extra: number;
            different: number;
            changing: number;
            kept: number;
            quarantined: number;
            more?: boolean;
            by: 'target' | 'ledger';
            position: string | null;
            duration_ms: number;
            samples: Array<{
              difference: 'missing' | 'extra' | 'different';
              key: { [name: string]: unknown } | null;
              fields: Array<string>;
              source: { [name: string]: unknown } | null;
              target: { [name: string]: unknown } | null;
            }>;
          };
        }>;
        totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
        error: {
          kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
          code: string;
          message: string;
          hint: string | null;
          retry_after?: number;
        } | null;
        live?: true;
        rolled?: boolean;
        lag?: { seconds: number; bytes: number | null; at: string };
        undone?: {
          at: string;
          by: string;
          restored: number;
          removed: number;
          left: number;
          rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
        };
      };
    };
  };
  'POST /api/v1/datasync/runs/{id}/undo': {
    params: { id: string };
    query: {};
    body: { preview?: boolean } | undefined;
    answer: {
      success: true;
      data: {
        run: {
          id: string;
          sync_id: string;
          status: 'queued' | 'running' | 'retrying' | 'needs_approval' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'skipped';
          trigger: 'manual' | 'schedule' | 'change' | 'retry';
          triggered_by: { type: 'run' | 'hook'; id: string } | null;
          mode: 'run' | 'full' | 'preview' | 'rejects' | 'verify' | 'repair' | 'repair_preview';
          attempt: number;
          cancel_requested: boolean;
          created_at: string;
          next_attempt_at: string | null;
          started_at: string | null;
          finished_at: string | null;
          duration_ms: number | null;
          streams: Array<{
            name: string;
            target: string;
            status: 'pending' | 'running' | 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'needs_approval';
            read: number;
            inserted: number;
            updated: number;
            deleted: number;
            unchanged: number;
            rejected: number;
            bytes: number;
            rows_per_second: number;
            estimated_total: number | null;
            checkpoint: string | null;
            error: {
              kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
              code: string;
              message: string;
              hint: string | null;
              retry_after?: number;
            } | null;
            live?: 'loading' | 'live' | 'stopped';
            schema_changes?: Array<string>;
            changes?: {
              inserted: number;
              updated: number;
              deleted: number;
              unchanged: number;
              samples?: Array<{
                change: 'insert' | 'update' | 'delete';
                key: { [name: string]: unknown } | null;
                before: { [name: string]: unknown } | null;
                after: { [name: string]: unknown } | null;
              }>;
            };
            proof?: {
              result: 'equal' | 'differs' | 'changing';
              rows: number;
              digest: string;
              digest_of?: 'rows' | 'ranges';
              missing: number;
              extra: number;
              different: number;
              changing: number;
              kept: number;
              quarantined: number;
              more?: boolean;
              by: 'target' | 'ledger';
              position: string | null;
              duration_ms: number;
              samples: Array<{
                difference: 'missing' | 'extra' | 'different';
                key: { [name: string]: unknown } | null;
                fields: Array<string>;
                source: { [name: string]: unknown } | null;
                target: { [name: string]: unknown } | null;
              }>;
            };
          }>;
          totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number; bytes: number };
          error: {
            kind: 'config' | 'auth' | 'transient' | 'data' | 'gap' | 'fenced' | 'bug';
            code: string;
            message: string;
            hint: string | null;
            retry_after?: number;
          } | null;
          live?: true;
          rolled?: boolean;
          lag?: { seconds: number; bytes: number | null; at: string };
          undone?: {
            at: string;
            by: string;
            restored: number;
            removed: number;
            left: number;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          };
        };
        preview?: {
          restored: number;
          removed: number;
          left: number;
          streams: Array<{
            target: string;
            restored: number;
            removed: number;
            left: number;
            samples: Array<{
              change: 'insert' | 'update' | 'delete';
              key: { [name: string]: unknown } | null;
              before: { [name: string]: unknown } | null;
              after: { [name: string]: unknown } | null;
            }>;
            rows_left: Array<{ target: string; key: { [name: string]: unknown }; reason: 'changed' | 'removed' | 'added' }>;
          }>;
        };
        message: string;
      };
    };
  };
  'GET /api/v1/datasync/logs': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      sync_id?: string;
      run_id?: string;
      source_id?: string;
      level?: 'debug' | 'info' | 'warn' | 'error';
      from?: string;
      to?: string;
      q?: string;
      follow?: 'true' | 'false';
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        time: string;
        level: 'debug' | 'info' | 'warn' | 'error';
        sync_id: string | null;
        run_id: string | null;
        stream: string | null;
        source_id: string | null;
        message: string;
        data: { [name: string]: unknown } | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/datasync/metrics': {
    params: {};
    query: { window?: '1h' | '24h' | '7d' | '30d'; sync_id?: string };
    body: undefined;
    answer: {
      success: true;
      data: {
        window: '1h' | '24h' | '7d' | '30d';
        from: string;
        to: string;
        runs: {
          total: number;
          succeeded: number;
          partial: number;
          failed: number;
          cancelled: number;
          skipped: number;
          queued: number;
          running: number;
          retrying: number;
          needs_approval: number;
        };
        rows: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number };
        bytes: number;
        throughput: { rows_per_second: number; bytes_per_second: number };
        duration_ms: { p50: number | null; p95: number | null; max: number | null };
        lag_seconds: number | null;
        success_rate: number | null;
        syncs: Array<{
          sync_id: string;
          name: string;
          live: boolean;
          retained_bytes: number | null;
          runs: {
            total: number;
            succeeded: number;
            partial: number;
            failed: number;
            cancelled: number;
            skipped: number;
            queued: number;
            running: number;
            retrying: number;
            needs_approval: number;
          };
          rows: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number };
          bytes: number;
          throughput: { rows_per_second: number; bytes_per_second: number };
          duration_ms: { p50: number | null; p95: number | null; max: number | null };
          lag_seconds: number | null;
          success_rate: number | null;
        }>;
        series: Array<{
          at: string;
          runs: { total: number; succeeded: number; partial: number; failed: number; cancelled: number; skipped: number };
          rows: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number };
          bytes: number;
          lag_seconds: number | null;
          retained_bytes: number | null;
        }>;
      };
    };
  };
  'GET /metrics': { params: {}; query: {}; body: undefined; answer: unknown };
  'GET /api/v1/alerts': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        channel:
          | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
          | { type: 'slack'; url: string }
          | { type: 'teams'; url: string }
          | { type: 'discord'; url: string }
          | { type: 'mattermost'; url: string }
          | { type: 'webhook'; url: string; secret: string };
        rules: Array<
          | { type: 'failing'; runs?: number }
          | { type: 'rejects'; over?: number }
          | { type: 'lag'; seconds: number }
          | { type: 'disk_full'; free_percent?: number }
          | { type: 'key_expires'; days?: number }
          | { type: 'needs_approval' }
          | { type: 'differs' }
          | { type: 'late' }
          | { type: 'schema_changed' }
          | { type: 'endpoint_paused' }
        >;
        sync_ids: Array<string> | null;
        remind_every: string | null;
        quiet_hours: { from: string; to: string; timezone: string } | null;
        status: 'ok' | 'failing' | 'unused';
        error: string | null;
        error_at: string | null;
        sent_at: string | null;
        waiting: number;
        version: number;
        created_at: string;
        updated_at: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/alerts': {
    params: {};
    query: {};
    body: {
      name: string;
      channel:
        | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca?: string | null }
        | { type: 'slack'; url: string }
        | { type: 'teams'; url: string }
        | { type: 'discord'; url: string }
        | { type: 'mattermost'; url: string }
        | { type: 'webhook'; url: string; secret?: string };
      rules: Array<
        | { type: 'failing'; runs?: number }
        | { type: 'rejects'; over?: number }
        | { type: 'lag'; seconds: number }
        | { type: 'disk_full'; free_percent?: number }
        | { type: 'key_expires'; days?: number }
        | { type: 'needs_approval' }
        | { type: 'differs' }
        | { type: 'late' }
        | { type: 'schema_changed' }
        | { type: 'endpoint_paused' }
      >;
      sync_ids?: Array<string> | null;
      remind_every?: string | null;
      quiet_hours?: { from: string; to: string; timezone?: string } | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        channel:
          | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
          | { type: 'slack'; url: string }
          | { type: 'teams'; url: string }
          | { type: 'discord'; url: string }
          | { type: 'mattermost'; url: string }
          | { type: 'webhook'; url: string; secret: string };
        rules: Array<
          | { type: 'failing'; runs?: number }
          | { type: 'rejects'; over?: number }
          | { type: 'lag'; seconds: number }
          | { type: 'disk_full'; free_percent?: number }
          | { type: 'key_expires'; days?: number }
          | { type: 'needs_approval' }
          | { type: 'differs' }
          | { type: 'late' }
          | { type: 'schema_changed' }
          | { type: 'endpoint_paused' }
        >;
        sync_ids: Array<string> | null;
        remind_every: string | null;
        quiet_hours: { from: string; to: string; timezone: string } | null;
        status: 'ok' | 'failing' | 'unused';
        error: string | null;
        error_at: string | null;
        sent_at: string | null;
        waiting: number;
        version: number;
        created_at: string;
        updated_at: string;
        secret: string | null;
      };
    };
  };
  'GET /api/v1/alerts/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        channel:
          | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
          | { type: 'slack'; url: string }
          | { type: 'teams'; url: string }
          | { type: 'discord'; url: string }
          | { type: 'mattermost'; url: string }
          | { type: 'webhook'; url: string; secret: string };
        rules: Array<
          | { type: 'failing'; runs?: number }
          | { type: 'rejects'; over?: number }
          | { type: 'lag'; seconds: number }
          | { type: 'disk_full'; free_percent?: number }
          | { type: 'key_expires'; days?: number }
          | { type: 'needs_approval' }
          | { type: 'differs' }
          | { type: 'late' }
          | { type: 'schema_changed' }
          | { type: 'endpoint_paused' }
        >;
        sync_ids: Array<string> | null;
        remind_every: string | null;
        quiet_hours: { from: string; to: string; timezone: string } | null;
        status: 'ok' | 'failing' | 'unused';
        error: string | null;
        error_at: string | null;
        sent_at: string | null;
        waiting: number;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'PUT /api/v1/alerts/{id}': {
    params: { id: string };
    query: {};
    body: {
      name?: string;
      channel?:
        | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca?: string | null }
        | { type: 'slack'; url: string }
        | { type: 'teams'; url: string }
        | { type: 'discord'; url: string }
        | { type: 'mattermost'; url: string }
        | { type: 'webhook'; url: string; secret?: string };
      rules?: Array<
        | { type: 'failing'; runs?: number }
        | { type: 'rejects'; over?: number }
        | { type: 'lag'; seconds: number }
        | { type: 'disk_full'; free_percent?: number }
        | { type: 'key_expires'; days?: number }
        | { type: 'needs_approval' }
        | { type: 'differs' }
        | { type: 'late' }
        | { type: 'schema_changed' }
        | { type: 'endpoint_paused' }
      >;
      sync_ids?: Array<string> | null;
      remind_every?: string | null;
      quiet_hours?: { from: string; to: string; timezone?: string } | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        channel:
          | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
          | { type: 'slack'; url: string }
          | { type: 'teams'; url: string }
          | { type: 'discord'; url: string }
          | { type: 'mattermost'; url: string }
          | { type: 'webhook'; url: string; secret: string };
        rules: Array<
          | { type: 'failing'; runs?: number }
          | { type: 'rejects'; over?: number }
          | { type: 'lag'; seconds: number }
          | { type: 'disk_full'; free_percent?: number }
          | { type: 'key_expires'; days?: number }
          | { type: 'needs_approval' }
          | { type: 'differs' }
          | { type: 'late' }
          | { type: 'schema_changed' }
          | { type: 'endpoint_paused' }
        >;
        sync_ids: Array<string> | null;
        remind_every: string | null;
        quiet_hours: { from: string; to: string; timezone: string } | null;
        status: 'ok' | 'failing' | 'unused';
        error: string | null;
        error_at: string | null;
        sent_at: string | null;
        waiting: number;
        version: number;
        created_at: string;
        updated_at: string;
        secret: string | null;
      };
    };
  };
  'DELETE /api/v1/alerts/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        channel:
          | { type: 'email'; smtp_url: string; from: string; to: Array<string>; ca: string | null }
          | { type: 'slack'; url: string }
          | { type: 'teams'; url: string }
          | { type: 'discord'; url: string }
          | { type: 'mattermost'; url: string }
          | { type: 'webhook'; url: string; secret: string };
        rules: Array<
          | { type: 'failing'; runs?: number }
          | { type: 'rejects'; over?: number }
          | { type: 'lag'; seconds: number }
          | { type: 'disk_full'; free_percent?: number }
          | { type: 'key_expires'; days?: number }
          | { type: 'needs_approval' }
          | { type: 'differs' }
          | { type: 'late' }
          | { type: 'schema_changed' }
          | { type: 'endpoint_paused' }
        >;
        sync_ids: Array<string> | null;
        remind_every: string | null;
        quiet_hours: { from: string; to: string; timezone: string } | null;
        status: 'ok' | 'failing' | 'unused';
        error: string | null;
        error_at: string | null;
        sent_at: string | null;
        waiting: number;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/alerts/{id}/test': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { delivered: boolean; duration_ms: number; error: string | null } };
  };
  'GET /api/v1/alerts/{id}/messages': {
    params: { id: string };
    query: { limit?: number; offset?: number; cursor?: string; status?: 'waiting' | 'sent' | 'skipped' | 'failed' };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        incident_id: string;
        rule:
          | 'failing'
          | 'needs_approval'
          | 'rejects'
          | 'differs'
          | 'late'
          | 'lag'
          | 'schema_changed'
          | 'endpoint_paused'
          | 'disk_full'
          | 'key_expires';
        object_id: string;
        object_name: string;
        summary: string;
        kind: 'opened' | 'reminder' | 'closed';
        status: 'waiting' | 'sent' | 'skipped' | 'failed';
        attempts: number;
        created_at: string;
        next_at: string | null;
        sent_at: string | null;
        error: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/incidents': {
    params: {};
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'open' | 'closed' | 'all';
      rule?:
        | 'failing'
        | 'needs_approval'
        | 'rejects'
        | 'differs'
        | 'late'
        | 'lag'
        | 'schema_changed'
        | 'endpoint_paused'
        | 'disk_full'
        | 'key_expires';
      object_id?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        rule:
          | 'failing'
          | 'needs_approval'
          | 'rejects'
          | 'differs'
          | 'late'
          | 'lag'
          | 'schema_changed'
          | 'endpoint_paused'
          | 'disk_full'
          | 'key_expires';
        object_id: string;
        object_name: string;
        opened_at: string;
        closed_at: string | null;
        summary: string;
        ending: string | null;
        details: { [name: string]: unknown };
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/events': {
    params: {};
    query: { limit?: number; after?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{ sequence: number; id: string; type: string; object_id: string; created_at: string; data: { [name: string]: unknown } }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/webhooks': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; status?: 'active' | 'paused' | 'disabled' };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/webhooks': {
    params: {};
    query: {};
    body: {
      name: string;
      url: string;
      types?: Array<string>;
      condition?: string | null;
      payload?: 'full' | 'thin';
      signature?: 'symmetric' | 'ed25519';
      headers?: { [name: string]: unknown };
      max_in_flight?: number;
      rate?: number | null;
      from?: 'start' | number;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
        secret: string | null;
      };
    };
  };
  'GET /api/v1/webhooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'PUT /api/v1/webhooks/{id}': {
    params: { id: string };
    query: {};
    body: {
      name?: string;
      url?: string;
      types?: Array<string>;
      condition?: string | null;
      payload?: 'full' | 'thin';
      signature?: 'symmetric' | 'ed25519';
      headers?: { [name: string]: unknown };
      max_in_flight?: number;
      rate?: number | null;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'DELETE /api/v1/webhooks/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/webhooks/{id}/pause': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/webhooks/{id}/resume': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
      };
    };
  };
  'POST /api/v1/webhooks/{id}/rotate': {
    params: { id: string };
    query: {};
    body: { overlap_seconds?: number; signature?: 'symmetric' | 'ed25519' } | undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        url: string;
        types: Array<string>;
        condition: string | null;
        payload: 'full' | 'thin';
        signature: 'symmetric' | 'ed25519';
        headers: { [name: string]: unknown };
        max_in_flight: number;
        rate: number | null;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'paused' | 'disabled';
        status_reason: string | null;
        status_at: string;
        position: number;
        waiting: number;
        failed: number;
        failing_since: string | null;
        next_attempt_at: string | null;
        last_delivered_at: string | null;
        public_key: string | null;
        secrets: Array<{ id: string; created_at: string; expires_at: string | null }>;
        version: number;
        created_at: string;
        updated_at: string;
        secret: string | null;
      };
    };
  };
  'POST /api/v1/webhooks/{id}/test': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: { delivered: boolean; status: number | null; duration_ms: number; error: string | null; response: string | null };
    };
  };
  'GET /api/v1/webhooks/{id}/deliveries': {
    params: { id: string };
    query: {
      limit?: number;
      offset?: number;
      cursor?: string;
      status?: 'waiting' | 'delivered' | 'failed';
      type?: string;
      object_id?: string;
    };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        sequence: number;
        message_id: string;
        type: string;
        object_id: string;
        status: 'waiting' | 'delivered' | 'failed';
        attempts: number;
        created_at: string;
        updated_at: string;
        next_at: string | null;
        response_status: number | null;
        duration_ms: number | null;
        error: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/webhooks/{id}/deliveries/{sequence}': {
    params: { id: string; sequence: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        sequence: number;
        message_id: string;
        type: string;
        object_id: string;
        status: 'waiting' | 'delivered' | 'failed';
        attempts: number;
        created_at: string;
        updated_at: string;
        next_at: string | null;
        response_status: number | null;
        duration_ms: number | null;
        error: string | null;
        request: { headers: { [name: string]: unknown }; body: string };
        log: Array<{ at: string; duration_ms: number; response_status: number | null; response_body: string | null; error: string | null }>;
      };
    };
  };
  'POST /api/v1/webhooks/{id}/replay': {
    params: { id: string };
    query: {};
    body: { message_id?: string; from?: string; to?: string; failed?: boolean };
    answer: { success: true; data: { queued: number } };
  };
  'GET /api/v1/me': {
    params: {};
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        expires_at: string | null;
      };
    };
  };
  'GET /api/v1/keys': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'expired' | 'revoked';
        rate_limit: number | null;
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/keys': {
    params: {};
    query: {};
    body: {
      name: string;
      scopes: Array<
        | 'datasync:read'
        | 'datasync:write'
        | 'orders:read'
        | 'orders:write'
        | 'products:read'
        | 'products:write'
        | 'webhooks'
        | 'assistant:write'
        | 'admin'
      >;
      expires_at?: string;
      rate_limit?: number;
    };
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'expired' | 'revoked';
        rate_limit: number | null;
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
        key: string;
      };
    };
  };
  'GET /api/v1/keys/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'expired' | 'revoked';
        rate_limit: number | null;
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
      };
    };
  };
  'DELETE /api/v1/keys/{id}': {
    params: { id: string };
    query: {};
    body: undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'expired' | 'revoked';
        rate_limit: number | null;
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
      };
    };
  };
  'POST /api/v1/keys/{id}/rotate': {
    params: { id: string };
    query: {};
    body: { overlap_seconds?: number } | undefined;
    answer: {
      success: true;
      data: {
        id: string;
        name: string;
        scopes: Array<
          | 'datasync:read'
          | 'datasync:write'
          | 'orders:read'
          | 'orders:write'
          | 'products:read'
          | 'products:write'
          | 'webhooks'
          | 'assistant:write'
          | 'admin'
        >;
        status: 'active' | 'expired' | 'revoked';
        rate_limit: number | null;
        created_at: string;
        expires_at: string | null;
        revoked_at: string | null;
        last_used_at: string | null;
        key: string;
      };
    };
  };
  'GET /api/v1/audit': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string; object_id?: string; actor?: string; action?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        at: string;
        actor: string;
        action: string;
        object_id: string;
        details: { [name: string]: unknown };
        address: string | null;
        request_id: string | null;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'GET /api/v1/nodes': {
    params: {};
    query: { limit?: number; offset?: number; cursor?: string };
    body: undefined;
    answer: {
      success: true;
      data: Array<{
        id: string;
        host: string;
        pid: number;
        role: 'all' | 'api' | 'worker';
        status: 'alive' | 'lost';
        version: string;
        schema_version: number;
        started_at: string;
        seen_at: string;
        clock_ahead_ms: number;
        max_runs: number;
        runs: Array<{ id: string; sync_id: string; started_at: string }>;
        parts: Array<{ run_id: string; stream: string; part: number }>;
        problems: Array<string>;
      }>;
      total: number;
      next_cursor: string | null;
    };
  };
  'POST /api/v1/hooks/{token}': {
    params: { token: string };
    query: {};
    body: undefined;
    answer: { success: true; data: { id: string | null; duplicate: boolean } };
  };
}

/** By the operation that moves something from state to state: from each state those that may follow. */
export const TRANSITIONS = {
  'POST /api/v1/orders/{id}/transitions': {
    'new': ['processing', 'on_hold', 'cancelled'],
    on_hold: ['processing', 'cancelled'],
    processing: ['shipped', 'on_hold', 'cancelled'],
    shipped: ['delivered', 'returned'],
    delivered: ['returned'],
    cancelled: [],
    returned: [],
  },
} as const;
