import type { Stream, Sync } from '../../../api/resources.ts';
import { visible } from '../../../parts/words/visible.ts';

/** What helps after a failure: a way to the place where it is mended, or something that is done at once. */
export type Mend =
  | { does: 'lead'; label: string; href: string; changes: boolean }
  /** A table that is gone may be there under another name. */
  | { does: 'find'; place: number; href: string }
  | { does: 'load'; label: string; stream: string };

type Failed = Pick<Stream, 'name' | 'error'>;
type Definition = Pick<Sync, 'id' | 'source_id' | 'target_id'> & { streams: readonly NamedStream[] };

interface NamedStream {
  readonly source: string;
  readonly fields?: readonly { readonly from?: string | undefined; readonly to: string }[] | null;
  readonly filter: readonly { readonly field: string }[];
}

const LONGEST = 40;

function named(name: string): string {
  const short = name.length > LONGEST ? `${name.slice(0, LONGEST).toWellFormed()}…` : name;
  return `"${visible(short)}"`;
}

/** What helps with a stream that has failed, by what its error tells. What leads nowhere is not offered. */
export function mendsOf({ name, error }: Failed, sync: Definition): Mend[] {
  if (!error) return [];
  if (error.kind === 'gap') return [{ does: 'load', label: `Load ${named(name)} anew`, stream: name }];
  const inDefinition = definitionMends(name, error.field, sync);
  if (error.field !== undefined) return [...inDefinition, ...endMends(error, sync, name)];
  return endMends(error, sync, name);
}

function definitionMends(name: string, field: string | undefined, { id, streams }: Definition): Mend[] {
  const [, at, member, inner] = /^streams\[(\d+)\]\.(\w+)(?:\[(\d+)\])?/.exec(field ?? '') ?? [];
  const place = Number(at);
  const stream = at === undefined ? undefined : streams[place];
  const lead = (label: string, to: string): Mend => ({
    does: 'lead',
    label,
    href: `/syncs/${id}/edit?at=${encodeURIComponent(to)}`,
    changes: true,
  });
  // It was changed since: what was to blame may be out already.
  if (stream?.source !== name) return [lead('Edit the synchronization', '')];
  const to = `streams[${place}]`;
  if (member === 'source') {
    const href = `/syncs/${id}/edit?at=${encodeURIComponent(to)}`;
    return [{ does: 'find', place, href }, lead(`Remove ${named(name)} from the synchronization`, to)];
  }
  const written = member === 'fields' ? stream.fields?.[Number(inner)] : undefined;
  if (written) return [lead(`Leave ${named(written.from ?? written.to)} out`, `${to}.fields[${inner}]`)];
  const condition = member === 'filter' ? stream.filter[Number(inner)] : undefined;
  if (condition) return [lead(`Change the condition on ${named(condition.field)}`, to)];
  return [lead(`Change how ${named(name)} is written`, to)];
}

/** The way to the system at which it happened: to its fields and rows, or to its login where that is refused. */
function endMends(error: NonNullable<Failed['error']>, sync: Definition, name: string): Mend[] {
  const { end, kind, field } = error;
  if (end === undefined) return [];
  const id = end === 'source' ? sync.source_id : sync.target_id;
  if (kind === 'auth' || (kind === 'config' && field === undefined))
    return [{ does: 'lead', label: `Correct the ${end}`, href: `/sources/${id}/edit`, changes: true }];
  const isThere = end === 'source' && field !== undefined && !field.endsWith('.source');
  const href = `/sources/${id}${isThere ? `?stream=${encodeURIComponent(name)}` : ''}`;
  return [{ does: 'lead', label: `Open the ${end}`, href, changes: false }];
}
