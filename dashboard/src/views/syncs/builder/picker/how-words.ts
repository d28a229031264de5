import type { SourceStream } from '../../../../api/resources.ts';
import { plural } from '../../../../parts/words/format.ts';
import { MODE_WORDS } from '../../words.ts';
import type { StreamDraft } from '../draft.ts';

/** `Automatic, by id, 3 fields, 1 condition`: how a stream is kept in sync, in a line. */
export function howWords({ mode, key, cursor, fields, filter }: StreamDraft, info: SourceStream | undefined, live: boolean): string {
  const how = live ? 'Live' : mode === undefined ? 'Automatic' : (MODE_WORDS[mode].split(':')[0] ?? '');
  const names = key ?? info?.key ?? [];
  return [
    how,
    ...(names.length > 0 ? [`by ${names.join(' + ')}`] : info ? ['no key'] : []),
    ...(cursor === undefined || live ? [] : [`cursor ${cursor}`]),
    ...(fields === null ? [] : [plural(fields.length, 'field')]),
    ...(filter.length === 0 ? [] : [plural(filter.length, 'condition')]),
  ].join(', ');
}
