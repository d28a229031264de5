import { pathParts, placeWords } from '../../../parts/words/place-words.ts';

/** What a place in a definition is called on the page. */
const MEMBERS: Readonly<Record<string, string>> = {
  source_id: 'Source',
  target_id: 'Target',
  streams: 'Streams',
  on_reject: 'Rejected rows',
  schema_changes: 'Schema changes',
  structure: 'Structure',
  'guard.max_delete_percent': 'Delete limit',
  'guard.allow_empty': 'Allow an empty source',
  'schedule.every': 'Schedule, every',
  'schedule.expression': 'Cron expression',
  'schedule.timezone': 'Time zone',
  'schedule.sync_id': 'Schedule, after',
  expect_every: 'Expect a run every',
  on_gap: 'When changes are lost',
  max_retained: 'Log kept at the source',
  undo: 'Undo: keep for',
  'undo.keep': 'Undo: keep for',
  verify: 'Verify every',
  'verify.every': 'Verify every',
};
const STREAM_MEMBERS: Readonly<Record<string, string>> = {
  target: 'target stream',
  mode: 'mode',
  deletes: 'deleted rows',
  filter: 'conditions',
};
const FIELD_MEMBERS: Readonly<Record<string, string>> = { to: 'name at the target', type: 'type', expression: 'expression' };
const FILTER_MEMBERS: Readonly<Record<string, string>> = { op: 'comparison', value: 'value' };

/** The names that a definition gives to its parts. */
export interface NamedStream {
  readonly source: string;
  readonly key?: readonly string[] | undefined;
  readonly fields?: readonly { readonly from?: string; readonly to?: string }[] | null | undefined;
  readonly filter?: readonly { readonly field: string }[] | undefined;
}

/** Says a place in a definition by the names that are in it: `streams[3].fields[7].from` → `Stream public.orders, field total`. */
export function syncPlace(path: string, streams: readonly NamedStream[]): string {
  const [list, place, member, inner, leaf] = pathParts(path);
  const stream = list === 'streams' && typeof place === 'number' ? streams[place] : undefined;
  if (!stream) return MEMBERS[path] ?? placeWords(path);
  const words = [`Stream ${stream.source}`];
  if (member === 'fields' && typeof inner === 'number') {
    const { to = '', from = '' } = stream.fields?.[inner] ?? {};
    words.push(`field ${to || from || inner + 1}`, FIELD_MEMBERS[String(leaf)] ?? '');
  } else if (member === 'filter' && typeof inner === 'number') {
    words.push(`condition on ${stream.filter?.[inner]?.field || inner + 1}`, FILTER_MEMBERS[String(leaf)] ?? '');
  } else if (typeof inner === 'number') {
    words.push(`${member} ${stream.key?.[inner] || inner + 1}`);
  } else if (member !== undefined && member !== 'source') words.push(STREAM_MEMBERS[member] ?? String(member));
  return words.filter((word) => word !== '').join(', ');
}
