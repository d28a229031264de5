import { isJsonObject, parseExactly } from '../../../lib/exact-json.ts';
import type { Path } from './paths.ts';
import { notJson } from './record-scanner.ts';

/** How APIs call the list that they were asked for, the commonest first. */
const NAMES = ['data', 'items', 'results', 'records', 'rows', 'value', 'values', 'entries', 'list', 'content', 'result', 'hits', 'objects'];
const MAX_LEVELS = 3;

interface Candidate {
  path: Path;
  length: number;
}

/** Where the records are: a list of objects, the highest, by a usual name if there is one. Without any, the answer itself. */
export function guessRecords(text: string): Path {
  const lists: Candidate[] = [];
  let level: { path: Path; value: unknown }[] = [{ path: [], value: parsed(text) }];
  for (let depth = 0; depth < MAX_LEVELS; depth++) {
    level = level.flatMap(({ path, value }) =>
      isJsonObject(value) ? Object.entries(value).map(([name, member]) => ({ path: [...path, name], value: member })) : [],
    );
    for (const { path, value } of level) {
      const isErrors = path.length === 1 && path[0] === 'errors';
      if (Array.isArray(value) && value.every(isJsonObject) && !isErrors) lists.push({ path, length: value.length });
    }
  }
  // A list without entries may be one of errors.
  const isEmpty = ({ length }: Candidate): number => (length === 0 ? 1 : 0);
  lists.sort((a, b) => isEmpty(a) - isEmpty(b) || a.path.length - b.path.length || rank(a) - rank(b) || b.length - a.length);
  return lists[0]?.path ?? [];
}

function rank({ path }: Candidate): number {
  const place = NAMES.indexOf((path.at(-1) ?? '').toLowerCase());
  return place === -1 ? NAMES.length : place;
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw notJson();
  }
}
