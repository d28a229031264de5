import fc from 'fast-check';

/** A document that can be applied again and again; nothing is deleted by it. */
export function configurationBody(): fc.Arbitrary<unknown> {
  const document = fc.constantFrom(
    {},
    { version: 1, defaults: { streams: { mode: 'mirror' } }, sources: null },
    { keys: { 'of a file': { scopes: ['webhooks'] } }, hooks: { 'of a file': { scheme: 'token' } } },
    { webhooks: { 'of a file': { url: 'http://127.0.0.1:9/in', types: ['key.refused'], headers: { 'X-Key': 'k' } } } },
  );
  return fc.record({ document, prune: fc.constant(false) }, { requiredKeys: ['document'] });
}
