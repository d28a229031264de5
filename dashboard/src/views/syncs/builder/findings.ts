import type { ApiError } from '../../../api/errors.ts';
import { faultsByField } from '../../../parts/form/faults.ts';
import type { SyncDraft, StreamDraft } from './draft.ts';
import { syncPlace } from './sync-place.ts';

/** What the service found wrong with a draft as it was then. What was changed since is not blamed any more. */
export interface Finding {
  readonly draft: SyncDraft;
  readonly error: ApiError;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Tells the faults of a stream, by their place within it: the later finding is the better one. */
export function faultFinder(findings: readonly Finding[]): (stream: StreamDraft) => ReadonlyMap<string, string> {
  const byText = new Map<string, Map<string, string>>();
  for (const { draft, error } of findings)
    for (const [path, words] of faultsByField(error)) {
      const [, place, member] = /^streams\[(\d+)\]\.(.+)$/.exec(path) ?? [];
      const stream = draft.streams[Number(place)];
      if (stream === undefined || member === undefined) continue;
      const text = textOf(stream);
      byText.set(text, (byText.get(text) ?? new Map<string, string>()).set(member, words));
    }
  return (stream) => (byText.size === 0 ? NOTHING : (byText.get(textOf(stream)) ?? NOTHING));
}

const texts = new WeakMap<StreamDraft, string>();

/** A stream as text, by which it is known again also when it was kept and restored. */
function textOf(stream: StreamDraft): string {
  const text = texts.get(stream) ?? JSON.stringify(stream);
  texts.set(stream, text);
  return text;
}

/** The place of the first stream at fault, as the draft is now. */
export function firstAtFault(findings: readonly Finding[], { streams }: SyncDraft): number | undefined {
  const faultsOf = faultFinder(findings);
  const place = streams.findIndex((stream) => faultsOf(stream).size > 0);
  return place < 0 ? undefined : place;
}

/** Says where in the draft a fault is. */
export function placeIn({ draft }: Finding): (path: string) => string {
  return (path) => syncPlace(path, draft.streams);
}

/** What has to be chosen before anything can be saved, by its place. */
export function missingIn({ sourceId, targetId, streams, live, schedule }: SyncDraft): ReadonlyMap<string, string> {
  const missing = new Map<string, string>();
  if (sourceId === '') missing.set('source_id', 'Choose a source.');
  if (targetId === '') missing.set('target_id', 'Choose a target.');
  if (streams.length === 0) missing.set('streams', 'Choose at least one stream.');
  if (!live && schedule?.type === 'after' && schedule.sync_id === '') missing.set('schedule.sync_id', 'Choose a synchronization.');
  return missing;
}
