/** What there is to choose from, as people look for it; the feed may know more, and any type may be typed. */
export const EVENT_TYPES: { group: string; items: string[] }[] = [
  { group: 'All that the key may read', items: ['*'] },
  {
    group: 'Shop',
    items: [
      'order.*',
      'order.created',
      'order.imported',
      'order.status_changed',
      'order.updated',
      'order.fulfilled',
      'order.returned',
      'order.refunded',
      'product.*',
      'product.created',
      'product.updated',
      'product.deleted',
      'stock.changed',
    ],
  },
  {
    group: 'Synchronizations',
    items: ['run.*', 'run.succeeded', 'run.partial', 'run.failed', 'run.needs_approval', 'sync.*', 'source.*', 'hook.*', 'incident.*'],
  },
  { group: 'System', items: ['webhook.*', 'webhook.paused', 'webhook.disabled', 'key.*'] },
];

/** `*` is all; else the types as they are. */
export function typesWords(types: readonly string[]): string {
  return types.includes('*') ? 'All events' : types.join(', ');
}

/** What is chosen, without what `*` makes idle: the last choice counts. */
export function chosenTypes(before: readonly string[], after: readonly string[]): readonly string[] {
  if (!after.includes('*')) return after;
  return before.includes('*') && after.length > 1 ? after.filter((type) => type !== '*') : ['*'];
}
