import { type SqlToken, splitAtCommas, textOf, tokensOf } from './tokens.ts';

/** One constraint of a column or table, as it is written. */
export interface WrittenConstraint {
  /** Its first word that matters: PRIMARY, NOT, NULL, UNIQUE, CHECK, DEFAULT, COLLATE, REFERENCES, FOREIGN, GENERATED, AS. */
  readonly kind: string;
  readonly name: string | null;
  readonly text: string;
}

export interface WrittenColumn {
  readonly name: string;
  readonly type: string;
  readonly constraints: readonly WrittenConstraint[];
}

/** A CREATE TABLE, taken apart. */
export interface WrittenTable {
  readonly columns: readonly WrittenColumn[];
  readonly constraints: readonly WrittenConstraint[];
  /** WITHOUT ROWID, STRICT. */
  readonly options: string;
}

const OF_TABLE: ReadonlySet<string> = new Set(['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']);
const OF_COLUMN: ReadonlySet<string> = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'NOT',
  'NULL',
  'UNIQUE',
  'CHECK',
  'DEFAULT',
  'COLLATE',
  'REFERENCES',
  'GENERATED',
  'AS',
]);

/** Undefined when it is no CREATE TABLE with columns. */
export function parseTable(sql: string): WrittenTable | undefined {
  const tokens = tokensOf(sql);
  if (tokens[0]?.word !== 'CREATE' || tokens[1]?.word !== 'TABLE') return undefined;
  const open = tokens.findIndex(({ text, depth }) => text === '(' && depth === 0);
  const close = tokens.findIndex(({ text, depth }, place) => place > open && text === ')' && depth === 0);
  if (open === -1 || close === -1) return undefined;
  const items = splitAtCommas(tokens.slice(open + 1, close), 1);
  const isConstraint = ([first]: readonly SqlToken[]): boolean => first?.word !== undefined && OF_TABLE.has(first.word);
  return {
    columns: items.filter((item) => !isConstraint(item)).map((item) => columnOf(sql, item)),
    constraints: items.filter(isConstraint).map((item) => constraintOf(sql, item)),
    options: textOf(sql, tokens.slice(close + 1)),
  };
}

function columnOf(sql: string, tokens: readonly SqlToken[]): WrittenColumn {
  const [first, ...rest] = tokens;
  const starts = rest.flatMap((token, place) => (begins(rest, token, place) ? [place] : []));
  const typed = rest.slice(0, starts[0] ?? rest.length);
  const constraints = starts.map((start, n) => constraintOf(sql, rest.slice(start, starts[n + 1] ?? rest.length)));
  return {
    name: first?.name ?? first?.text.slice(1, -1).replaceAll("''", "'") ?? '',
    type: typed.length > 0 ? textOf(sql, typed) : '',
    constraints,
  };
}

/** Whether another constraint begins here: words such as NULL also stand within one. */
function begins(tokens: readonly SqlToken[], { word, depth }: SqlToken, place: number): boolean {
  if (word === undefined || depth !== 1 || !OF_COLUMN.has(word)) return false;
  const before = tokens[place - 1]?.word;
  if (tokens[place - 2]?.word === 'CONSTRAINT') return false;
  if (word === 'NULL') return before !== 'NOT' && before !== 'SET' && before !== 'DEFAULT';
  if (word === 'DEFAULT') return before !== 'SET';
  if (word === 'NOT') return tokens[place + 1]?.word !== 'DEFERRABLE';
  return word !== 'AS' || before !== 'ALWAYS';
}

function constraintOf(sql: string, tokens: readonly SqlToken[]): WrittenConstraint {
  const isNamed = tokens[0]?.word === 'CONSTRAINT';
  return {
    kind: tokens[isNamed ? 2 : 0]?.word ?? '',
    name: (isNamed && tokens[1]?.name) || null,
    text: textOf(sql, tokens),
  };
}

interface Deferral {
  /** Those of the foreign key, as they are written there. */
  readonly columns: readonly string[];
  /** `DEFERRABLE INITIALLY DEFERRED`. */
  readonly text: string;
}

/** The foreign keys that can be deferred. */
export function deferralsOf({ columns, constraints }: WrittenTable): Deferral[] {
  const ofColumns = columns.flatMap(({ name, constraints: own }) => own.flatMap((each) => deferralIn(each, 'REFERENCES', () => [name])));
  return [...ofColumns, ...constraints.flatMap((each) => deferralIn(each, 'FOREIGN', listed))];
}

function deferralIn({ kind, text }: WrittenConstraint, wanted: string, columnsIn: (tokens: readonly SqlToken[]) => string[]): Deferral[] {
  const tokens = tokensOf(text);
  const place = tokens.findIndex(({ word }) => word === 'DEFERRABLE');
  if (kind !== wanted || place === -1 || tokens[place - 1]?.word === 'NOT') return [];
  return [{ columns: columnsIn(tokens), text: textOf(text, tokens.slice(place)) }];
}

/** The names in the first brackets. */
function listed(tokens: readonly SqlToken[]): string[] {
  const end = tokens.findIndex(({ text }) => text === ')');
  return tokens.slice(0, end).flatMap(({ name, depth }) => (depth === 1 && name !== undefined ? [name] : []));
}

/** Words that are no names. */
const NO_NAMES: ReadonlySet<string> = new Set(
  'ASC DESC COLLATE AND OR NOT NULL IN IS LIKE GLOB BETWEEN CASE WHEN THEN ELSE END TRUE FALSE ON CONFLICT WHERE'.split(' '),
);

/** A text with columns by other names; or the column that it speaks of and that has none. */
export function renamed(text: string, names: ReadonlyMap<string, string | undefined>): { text: string } | { missing: string } {
  let made = text;
  // What comes before the first bracket is no column.
  const from = text.indexOf('(');
  for (const token of tokensOf(text).toReversed()) {
    if (token.name === undefined || from === -1 || token.start < from || (token.word !== undefined && NO_NAMES.has(token.word))) continue;
    const lower = token.name.toLowerCase();
    if (!names.has(lower) || isCall(text, token)) continue;
    const name = names.get(lower);
    if (name === undefined) return { missing: token.name };
    if (name !== token.name) made = `${made.slice(0, token.start)}"${name.replaceAll('"', '""')}"${made.slice(token.end)}`;
  }
  return { text: made };
}

function isCall(text: string, { word, end }: SqlToken): boolean {
  return word !== undefined && /^\s*\(/.test(text.slice(end));
}
