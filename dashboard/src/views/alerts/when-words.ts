import type { AlertEntry } from '../../api/resources.ts';
import { everyWords } from '../syncs/schedule-words.ts';

/** How often an alert reminds of what goes on. */
export function reminderWords(every: string | null): string {
  return every === null ? 'none' : everyWords(every).toLowerCase();
}

/** When an alert keeps quiet. */
export function quietWords(hours: AlertEntry['quiet_hours']): string {
  return hours === null ? 'none' : `from ${hours.from} until ${hours.to} (${hours.timezone})`;
}
