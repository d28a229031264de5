import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRIES, SECTIONS } from './document.ts';
import { alertEntry, hookEntry, keyEntry, sourceEntry, syncEntry, UNSAID, webhookEntry } from './entries.ts';

const name = (): string => 'named';
const definition = {
  schedule: { type: 'manual' },
  streams: [{ source: 'a', target: 'b', mode: 'mirror', key: ['id'], cursor: null, fields: null, filter: [], deletes: 'delete' }],
  on_reject: 'quarantine',
  guard: { max_delete_percent: 20, allow_empty: false },
  schema_changes: 'apply',
};

/** What is written of each kind of thing. */
const WRITTEN = {
  sources: sourceEntry({ type: 'hub', config: '{}' }, name),
  hooks: hookEntry({ scheme: 'token', secrets: null, header: null, sync_id: null }, name),
  syncs: syncEntry({ source_id: 's', target_id: 't', definition: JSON.stringify(definition), status: 'active' }, name),
  webhooks: webhookEntry({
    url: 'https://a.example',
    types: '["order.*"]',
    condition: null,
    payload: 'full',
    signature: 'symmetric',
    headers: '{}',
    max_in_flight: 8,
    rate: null,
  }),
  alerts: alertEntry({ channel: '{}', rules: '[]', sync_ids: null, remind_every: null, quiet_hours: null }, name),
  keys: keyEntry({ scopes: '[]', rate_limit: null, expires_at: null }),
};

/** There is only one so far. */
const GOES_WITHOUT_SAYING = new Set(['direction']);

for (const section of SECTIONS)
  test(`whatever a document can say of ${section} is exported, and shown when it changes`, () => {
    const { properties = {}, required = [] } = ENTRIES[section];
    assert.deepEqual(
      Object.keys(WRITTEN[section]).sort(),
      Object.keys(properties)
        .filter((member) => !GOES_WITHOUT_SAYING.has(member))
        .sort(),
    );
    for (const unsaid of Object.keys(UNSAID[section])) assert.ok(!required.includes(unsaid), `${unsaid} may go without saying`);
  });
