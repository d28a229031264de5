import { definitionOf, isLive } from '../datasync/runs/rows/stored-definition.ts';
import { isSamePlace } from '../datasync/releases/kept-runs.ts';
import { isSameServer } from '../datasync/releases/rows.ts';
import type { SourceRow } from '../datasync/sources/queries.ts';
import { streamsToReadAnew } from '../datasync/syncs/generations.ts';
import type { SyncRow } from '../datasync/syncs/queries.ts';

// What a change means for the data, in words. The rules themselves are those by which it is carried out.

type Defined = Pick<SyncRow, 'source_id' | 'target_id' | 'definition'>;

export function effectsOfSync(before: Defined, after: Defined): string[] {
  const [was, is] = [definitionOf(before), definitionOf(after)];
  const isOtherSystem = before.source_id !== after.source_id || before.target_id !== after.target_id;
  const known = new Set(was.streams.map(({ target }) => target));
  const anew = streamsToReadAnew(was.streams, is.streams, isOtherSystem);
  const again = anew.filter((target) => known.has(target));
  const added = is.streams.filter(({ target }) => !known.has(target));
  const kept = new Set(is.streams.map(({ target }) => target));
  const gone = was.streams.filter(({ target }) => !kept.has(target));
  const remapped = is.streams.filter(({ target, fields }) => {
    const one = was.streams.find((stream) => stream.target === target);
    return one && !anew.includes(target) && JSON.stringify(one.fields) !== JSON.stringify(fields);
  });
  return [
    ...told(again, 'read again from the start by the next run'),
    ...told(
      added.map(({ target }) => target),
      'new: loaded in full by the next run',
    ),
    ...told(
      gone.map(({ target }) => target),
      'no longer kept in sync: the rows at the target stay, rejected ones are forgotten',
    ),
    ...told(targetsOf(remapped, true), 'mapped in another way: the next run compares all rows, and changes those that differ'),
    ...told(
      targetsOf(remapped, false),
      'mapped in another way from now on: rows that are at the target already keep their values until they change, or until a full run or a reset',
    ),
    ...liveEffects(isLive(was), isLive(is)),
    ...(was.undo && !is.undo ? ['What its runs have replaced is no longer kept: they cannot be undone any more.'] : []),
    ...(was.undo && is.undo && before.target_id !== after.target_id
      ? ['What its runs have replaced at the target before is forgotten.']
      : []),
  ];
}

function targetsOf(streams: readonly { target: string; mode: string }[], mirrors: boolean): string[] {
  return streams.filter(({ mode }) => (mode === 'mirror') === mirrors).map(({ target }) => target);
}

function told(targets: readonly string[], what: string): string[] {
  if (targets.length === 0) return [];
  const named = targets
    .slice(0, 10)
    .map((target) => `"${target}"`)
    .join(', ');
  const more = targets.length > 10 ? ` and ${targets.length - 10} more` : '';
  return [`${targets.length === 1 ? 'The stream' : 'The streams'} ${named}${more}: ${what}.`];
}

function liveEffects(was: boolean, is: boolean): string[] {
  if (was === is) return [];
  return is
    ? ['It becomes live: it follows the log of its source all the time.']
    : ['It is no longer live: the source forgets what it keeps of its log for it.'];
}

/** Of a source that may lead elsewhere: what it means for the synchronizations that use it. */
export function effectsOfSource(before: Pick<SourceRow, 'id' | 'config'>, config: string, syncs: readonly SyncRow[]): string[] {
  const users = syncs.filter(({ source_id, target_id }) => source_id === before.id || target_id === before.id);
  if (users.length === 0) return [];
  const names = users.map(({ name }) => `"${name}"`).join(', ');
  const isElsewhere = !isSamePlace(before.config, config) || !isSameServer(before.config, config);
  return [
    isElsewhere
      ? `It leads elsewhere: ${names} ${users.length === 1 ? 'goes' : 'go'} on there by the positions of before. Reset ${users.length === 1 ? 'it' : 'them'} where everything is to be read anew.`
      : `The next runs of ${names} use it like this.`,
  ];
}
