import type { Field, Filter } from '../../connectors/contract.ts';
import { STREAM_KINDS } from '../../connectors/stream-kinds.ts';
import { castOf } from '../values/cast.ts';
import type { Deletes, FieldMapping, FilterDefinition, Mode, StreamDefinition } from '../definition.ts';
import type { EndView } from './end-view.ts';
import { defaultCursor } from './cursors.ts';
import { seesDeletions } from './rules.ts';
import { canMirror, canRemove, isMirroredByLedger, modesInto } from './write-modes.ts';

/** A value of a filter as people write it in JSON. */
export type FilterValue = string | number | boolean;

/** What the user asks of a stream; what is left out is filled in. */
export interface StreamWish {
  readonly source: string;
  readonly target: string;
  readonly mode?: Mode | undefined;
  readonly key?: readonly string[] | undefined;
  readonly cursor?: string | null | undefined;
  readonly fields?: readonly FieldMapping[] | null | undefined;
  readonly filter?: readonly FilterWish[] | undefined;
  readonly deletes?: Deletes | undefined;
}

interface FilterWish {
  readonly field: string;
  readonly op: Filter['op'];
  readonly value?: FilterValue | readonly FilterValue[] | undefined;
}

/** A definition with everything filled in that can be told from what both ends are. Whether it can be done, the plan says. */
export function completeStream(wish: StreamWish, source: EndView, target: EndView): StreamDefinition {
  const key = wish.key ?? source.stream?.key ?? [];
  const mode = wish.mode ?? defaultMode(source, target, key, wish.cursor ?? undefined);
  const cursor = wish.cursor ?? defaultCursor(source.stream, mode);
  const deletes = wish.deletes ?? (seesDeletions(mode, source) && canRemove(target) ? 'delete' : 'keep');
  const fields = source.stream?.fields ?? [];
  const filter = (wish.filter ?? []).map((one) => canonicalFilter(one, fields));
  return { source: wish.source, target: wish.target, mode, key, cursor, fields: wish.fields ?? null, filter, deletes };
}

const BY_LIKENESS: readonly Mode[] = ['mirror', 'incremental', 'append'];
const BY_CHANGES: readonly Mode[] = ['incremental', 'mirror', 'append'];
// A cursor that is named is to be used.
const BY_CURSOR: readonly Mode[] = ['incremental', 'append', 'mirror'];

/**
 * The mode that keeps the target most like the source; a source that tells its changes is followed by them, and so is one whose target cannot be
 * read back. Rows are only added where
 * that is what a file is for, or all that the target can: elsewhere a fault that asks for a key or a cursor is better.
 */
function defaultMode(source: EndView, target: EndView, key: readonly string[], cursor: string | undefined): Mode {
  const byChanges = source.abilities.tellsChanges === true || isMirroredByLedger(target);
  const order = cursor !== undefined ? BY_CURSOR : byChanges ? BY_CHANGES : BY_LIKENESS;
  const allowed = order.filter((mode) => modesInto(target).includes(mode));
  const [first = 'mirror'] = allowed;
  if (cursor !== undefined) return first;
  const isReadOnByPlace = source.stream !== undefined && STREAM_KINDS[source.stream.kind].isReadOnByPlace;
  const findsChanges = source.abilities.incremental && (isReadOnByPlace || defaultCursor(source.stream, 'incremental') !== null);
  const isPossible: Readonly<Record<Mode, boolean>> = {
    mirror: canMirror(target, key),
    incremental: key.length > 0 && findsChanges,
    append: isReadOnByPlace,
    // What the source has to keep for it, it is asked for by a person.
    cdc: false,
  };
  return allowed.find((mode) => isPossible[mode]) ?? first;
}

/** The values of a filter in the spelling of the field's type; what cannot be told stays as it is, and the plan names it. */
function canonicalFilter({ field, op, value }: FilterWish, fields: readonly Field[]): FilterDefinition {
  if (value === undefined) return { field, op };
  const type = fields.find(({ name }) => name === field)?.type ?? 'text';
  const spelled = (one: FilterValue): string => castOf('text', type)?.convert(String(one)) ?? String(one);
  const spelledValue = typeof value === 'object' ? value.map(spelled) : spelled(value);
  return { field, op, value: spelledValue, ...(type === 'boolean' && { type }) };
}
