import type { Engine } from '../../db/sql.ts';
import { LEVELS, type LogLevel, levelsFrom, type NewLog } from './entry.ts';

// Search is by words, and we say what a word is: letters and digits, in lower case. The engines only keep and find them. What an
// entry belongs to is indexed along with its words, marked by a sign that is in no word, so that a search for words within one
// synchronization is answered by the index alone.

/** A longer word counts as several. */
const WORD = /[\p{L}\p{N}\p{M}]{1,64}/gu;

export function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(WORD) ?? [])];
}

/** Whether each of the words begins a word of the text. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const there = wordsOf(text);
  return words.every((word) => there.some((other) => other.startsWith(word)));
}

/** What the index holds of an entry, with spaces between. */
export function indexedWords({ message, level, sync_id, run_id, source_id, shop }: NewLog): string {
  const rows = shop === null ? [] : shop.split(' ');
  const marks = [level === LEVELS[0] ? null : level, sync_id, run_id, source_id, ...rows].filter((mark) => mark !== null);
  return [...wordsOf(message), ...marks.map((mark) => `#${mark}`)].join(' ');
}

export interface WordSearch {
  /** Each has to begin a word of the message. */
  words: readonly string[];
  level: LogLevel | undefined;
  /** The synchronization, run and source that the entry has to belong to. */
  belongsTo: readonly string[];
  /** The rows of the shop that it must not quote: who may not read them must not find them either. */
  without: readonly string[];
}

/** The search in the language of the engine. Words hold letters and digits only, and ids nothing else either. */
export function searchText({ words, level, belongsTo, without }: WordSearch, engine: Engine): string {
  const quote = engine === 'sqlite' ? '"' : "'";
  const [prefix, and, or] = engine === 'sqlite' ? ['*', ' AND ', ' OR '] : [':*', ' & ', ' | '];
  const exactly = (mark: string): string => `${quote}#${mark}${quote}`;
  const parts = [...words.map((word) => quote + word + quote + prefix), ...belongsTo.map(exactly)];
  if (level !== undefined && level !== LEVELS[0]) parts.push(`(${levelsFrom(level).map(exactly).join(or)})`);
  const not = engine === 'sqlite' ? ' NOT ' : ' & !';
  return [parts.join(and), ...without.map(exactly)].join(not);
}
