import type { BackupTable } from './backup-table.ts';

/** What a backup holds of alerts. */
export const ALERT_TABLES: readonly BackupTable[] = [
  {
    name: 'alerts',
    columns: {
      id: 'text',
      name: 'text',
      channel_type: 'text',
      channel: 'json',
      secrets: 'text',
      rules: 'json',
      sync_ids: 'json',
      remind_every: 'text',
      quiet_hours: 'json',
      scopes: 'json',
      version: 'bigint',
      created_at: 'text',
      updated_at: 'text',
      created_by: 'text',
      sent_at: 'text',
      error: 'text',
      error_at: 'text',
    },
    key: ['id'],
  },
  {
    name: 'incidents',
    columns: {
      id: 'text',
      rule: 'text',
      object_id: 'text',
      object_name: 'text',
      opened_at: 'text',
      closed_at: 'text',
      summary: 'text',
      details: 'json',
      ending: 'text',
    },
    key: ['id'],
  },
  {
    name: 'alert_incidents',
    columns: { alert_id: 'text', incident_id: 'text', remind_at: 'text' },
    key: ['alert_id', 'incident_id'],
  },
  {
    name: 'alert_messages',
    columns: {
      id: 'text',
      alert_id: 'text',
      incident_id: 'text',
      kind: 'text',
      status: 'text',
      attempts: 'bigint',
      created_at: 'text',
      next_at: 'text',
      sent_at: 'text',
      error: 'text',
    },
    key: ['id'],
  },
];
