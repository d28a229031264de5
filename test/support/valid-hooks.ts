import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';

/** A hook, a part of one, or what replaces its address or its secret. */
export function hookBody(route: Route, name: fc.Arbitrary<unknown>, syncs: readonly string[]): fc.Arbitrary<unknown> {
  const secret = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 });
  if (route.path.endsWith('/rotate')) {
    const body = fc.record({ overlap_seconds: fc.constantFrom(0, 60, 2_592_000), secret }, { requiredKeys: [], noNullPrototype: true });
    return fc.option(body, { nil: undefined });
  }
  const members = { name, secret, sync_id: fc.constantFrom(null, ...syncs) };
  if (route.method === 'PUT') return fc.record(members, { requiredKeys: [], noNullPrototype: true });
  const scheme = fc.constantFrom('shopify', 'woocommerce', 'stripe', 'github');
  return fc.record({ ...members, scheme }, { requiredKeys: ['name', 'scheme', 'secret'], noNullPrototype: true });
}
