import { join } from 'node:path';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { Entry, Place } from '../place/place.ts';

// More files than this make positions too large to keep with every batch.
const MAX_FILES = 20_000;
const MAX_LOOKED_AT = 1_000_000;

/** Whether a path is a pattern rather than a file. */
export function isPattern(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}

/** A pattern in two: the folder it certainly lies in, and what has to match below. */
export function splitPattern(pattern: string): { folder: string; segments: string[] } {
  const parts = pattern.split('/');
  const first = parts.findIndex(isPattern);
  return { folder: parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.'), segments: parts.slice(first) };
}

/** A file that matches: its path below the folder, and what the folder told of it. */
interface Match {
  readonly path: string;
  readonly entry: Entry;
}

/**
 * The files below a folder that match, as sorted paths relative to it. Links to folders are not followed: they could lead in
 * circles. Hidden files match only a pattern that begins with a dot. Folders below that may not be touched are passed by.
 */
export async function filesMatching(
  place: Place,
  folder: string,
  segments: readonly string[],
  given: string,
  signal: AbortSignal,
): Promise<Match[]> {
  const found = new Map<string, Entry>();
  let looked = 0;
  const visit = async (below: string, rest: readonly string[]): Promise<void> => {
    if (signal.aborted) throw aborted();
    const [segment = '', ...following] = rest;
    const entries = await place.entries(below === '' ? folder : join(folder, below), signal).catch((error: unknown) => {
      if (below !== '' && error instanceof OutsideError && error.code === 'PATH_REFUSED') return [];
      throw error;
    });
    looked += entries.length;
    if (looked > MAX_LOOKED_AT) throw tooMany(given, `more than ${MAX_LOOKED_AT.toLocaleString('en')} files and folders to look at`);
    const isDeep = segment === '**';
    const matches = isDeep ? undefined : segmentTest(segment);
    if (isDeep && following.length > 0) await visit(below, following);
    for (const entry of entries) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const isHidden = entry.name.startsWith('.');
      if (isDeep) {
        if (isHidden) continue;
        if (entry.isDirectory()) await visit(path, rest);
        else if (following.length === 0) add(entry, path);
      } else if (matches?.(entry.name) && (!isHidden || segment.startsWith('.'))) {
        if (following.length === 0) add(entry, path);
        else if (entry.isDirectory()) await visit(path, following);
      }
    }
  };
  const add = (entry: Entry, path: string): void => {
    if (!entry.isFile() && !entry.isSymbolicLink()) return;
    found.set(path, entry);
    if (found.size > MAX_FILES) throw tooMany(given, `more than ${MAX_FILES.toLocaleString('en')} files`);
  };
  await visit('', segments);
  return [...found].map(([path, entry]) => ({ path, entry })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function tooMany(given: string, what: string): OutsideError {
  return new OutsideError('config', 'TOO_MANY_FILES', `"${given}" has ${what}.`, {
    field: 'path',
    hint: 'Make the pattern narrower, for example by folder or by date.',
  });
}

/** A test of one part of a path: `*`, `?`, `[a-z]`, `[!a-z]`, `{one,two}`. */
export function segmentTest(segment: string): (name: string) => boolean {
  const tests = expandBraces(segment).map(patternTest);
  return (name) => tests.some((test) => test(name));
}

/**
 * What stands between two stars has a length of its own, so the first place where it fits is as good as any other. A regular expression would try
 * all places of all stars, which takes far too long.
 */
function patternTest(pattern: string): (name: string) => boolean {
  const pieces = [''];
  for (const part of pattern.split(/(\[!?[^\]]+\]|\*)/)) {
    if (part === '*') pieces.push('');
    else pieces.push(`${pieces.pop()}${part.replace(/^\[!?[^\]]+\]$|[?\\^$.|+(){}[\]]/g, partTest)}`);
  }
  const expressions = pieces.map((piece, i) => new RegExp(`${i === 0 ? '^' : ''}${piece}${i === pieces.length - 1 ? '$' : ''}`, 'sug'));
  return (name) => {
    let at = 0;
    return expressions.every((expression) => {
      expression.lastIndex = at;
      const isThere = expression.test(name);
      at = expression.lastIndex;
      return isThere;
    });
  };
}

function partTest(part: string): string {
  if (part === '?') return '[^/]';
  if (part.length > 2 && part.startsWith('[')) return part.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
  return `\\${part}`;
}

const MAX_EXPANDED = 10_000;

/** `a{1..3}` and `a{b,c}` written out: `a1 a2 a3`, `ab ac`. Numbers keep leading zeros. */
export function expandBraces(text: string): string[] {
  const match = /\{([^{}]*,[^{}]*|\d{1,9}\.\.\d{1,9})\}/.exec(text);
  if (!match) return [text];
  const [whole, inner = ''] = match;
  const range = /^(\d+)\.\.(\d+)$/.exec(inner);
  const choices = range ? numbers(range[1] ?? '', range[2] ?? '') : inner.split(',');
  const all = choices.flatMap((choice) => expandBraces(text.slice(0, match.index) + choice + text.slice(match.index + whole.length)));
  if (all.length > MAX_EXPANDED) throw tooMany(text, `more than ${MAX_EXPANDED.toLocaleString('en')} files`);
  return all;
}

function numbers(from: string, to: string): string[] {
  const count = Math.min(Math.max(0, Number(to) - Number(from) + 1), MAX_EXPANDED + 1);
  return Array.from({ length: count }, (_, index) => String(Number(from) + index).padStart(from.length, '0'));
}
