// What a statement in the log means. Pure. Rows are logged as rows: of statements, those matter that begin and end transactions, and those that do
// something to whole tables.

export type StatementMeaning =
  | { readonly is: 'begin' | 'commit' | 'rollback' | 'other' }
  | { readonly is: 'savepoint' | 'rollback-to'; readonly name: string }
  | { readonly is: 'xa-start' | 'xa-commit' | 'xa-rollback'; readonly xid: string }
  | { readonly is: 'tables'; readonly effects: readonly TableEffect[] }
  /** Rows were changed, and only the statement was written down. */
  | { readonly is: 'rows' };

export interface TableEffect {
  readonly database: string;
  /** Undefined: all of the database. */
  readonly table: string | undefined;
  readonly what: 'truncated' | 'altered' | 'dropped' | 'created' | 'replaced' | 'cut';
}

const NAME = '(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\\w$\\u0080-\\uffff]+)';
const TABLE = `(${NAME})(?:\\s*\\.\\s*(${NAME}))?`;
const COMMENT = /^(?:\s+|\/\*(?![!M])[\s\S]*?\*\/|--[^\n]*\n|#[^\n]*\n)+/;
/** `/*!50003 … *\/`: what is in there is done. */
const VERSIONED = /^\/\*M?!\d*\s*/;
/** MariaDB's `SET STATEMENT a = 1, b = 'x' FOR …`: variables for what follows. */
const SETTING = /^SET\s+STATEMENT\s(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'"])*?\sFOR\s+/is;

export function meaningOfStatement(text: string, database: string): StatementMeaning {
  let rest = text.replace(COMMENT, '');
  while (VERSIONED.test(rest) || SETTING.test(rest)) rest = rest.replace(VERSIONED, '').replace(SETTING, '').replace(COMMENT, '');
  const word = /^[a-z]+/i.exec(rest)?.[0].toUpperCase() ?? '';
  switch (word) {
    case 'BEGIN':
      return { is: 'begin' };
    case 'COMMIT':
      return { is: 'commit' };
    case 'ROLLBACK':
      return rollback(rest);
    case 'SAVEPOINT':
      return { is: 'savepoint', name: plain(rest.slice('SAVEPOINT'.length).trim()) };
    case 'XA':
      return xa(rest);
    case 'TRUNCATE':
    case 'DROP':
    case 'RENAME':
    case 'CREATE':
    case 'ALTER':
      return { is: 'tables', effects: effectsOf(word, rest, database) };
    case 'INSERT':
    case 'UPDATE':
    case 'DELETE':
    case 'REPLACE':
    case 'LOAD':
      return { is: 'rows' };
    default:
      return { is: 'other' };
  }
}

function rollback(text: string): StatementMeaning {
  const name = /^ROLLBACK\s+(?:WORK\s+)?TO\s+(?:SAVEPOINT\s+)?(.+)$/is.exec(text)?.[1];
  return name === undefined ? { is: 'rollback' } : { is: 'rollback-to', name: plain(name.trim()) };
}

function xa(text: string): StatementMeaning {
  const [, verb = '', xid = ''] = /^XA\s+(\w+)\s+(.*?)(?:\s+ONE\s+PHASE)?\s*$/is.exec(text) ?? [];
  if (/^(START|BEGIN)$/i.test(verb)) return { is: 'xa-start', xid };
  if (/^COMMIT$/i.test(verb)) return { is: 'xa-commit', xid };
  return /^ROLLBACK$/i.test(verb) ? { is: 'xa-rollback', xid } : { is: 'other' };
}

function plain(name: string): string {
  const quote = name[0];
  return quote === '`' || quote === '"' ? name.slice(1, name.lastIndexOf(quote)).replaceAll(quote + quote, quote) : name;
}

function effectsOf(word: string, text: string, database: string): TableEffect[] {
  const effect = (match: RegExpExecArray | RegExpMatchArray, at: number, what: TableEffect['what']): TableEffect => {
    const [first = '', second] = [match[at], match[at + 1]];
    return second === undefined ? { database, table: plain(first), what } : { database: plain(first), table: plain(second), what };
  };
  const find = (pattern: string): RegExpExecArray | null => new RegExp(pattern, 'isu').exec(text);
  switch (word) {
    case 'TRUNCATE': {
      const match = find(`^TRUNCATE\\s+(?:TABLE\\s+)?${TABLE}`);
      return match ? [effect(match, 1, 'truncated')] : [];
    }
    case 'DROP': {
      const whole = find(`^DROP\\s+(?:DATABASE|SCHEMA)\\s+(?:IF\\s+EXISTS\\s+)?(${NAME})`);
      if (whole) return [{ database: plain(whole[1] ?? ''), table: undefined, what: 'dropped' }];
      const list = find('^DROP\\s+TABLES?\\s+(?:IF\\s+EXISTS\\s+)?(.*)$')?.[1] ?? '';
      return namesIn(list).map((match) => effect(match, 1, 'dropped'));
    }
    case 'RENAME': {
      const list = find('^RENAME\\s+TABLES?\\s+(?:IF\\s+EXISTS\\s+)?(.*)$')?.[1] ?? '';
      // Whatever has had a name or gets one: its rows are others now.
      return [...list.matchAll(new RegExp(`${TABLE}(?:\\s+(?:NOWAIT|WAIT\\s+\\d+))?\\s+TO\\s+${TABLE}`, 'gisu'))].flatMap((match) => [
        effect(match, 1, 'replaced'),
        effect(match, 3, 'replaced'),
      ]);
    }
    case 'CREATE': {
      const match = find(`^CREATE\\s+(OR\\s+REPLACE\\s+)?TABLE\\s+(IF\\s+NOT\\s+EXISTS\\s+)?${TABLE}`);
      return match ? [effect(match, 3, match[1] ? 'replaced' : 'created')] : [];
    }
    default: {
      const match = find(`^ALTER\\s+(?:ONLINE\\s+)?(?:IGNORE\\s+)?TABLE\\s+(?:IF\\s+EXISTS\\s+)?${TABLE}`);
      if (!match) return [];
      return altered(withoutTexts(text.slice(match[0].length)), effect(match, 1, 'altered'), database);
    }
  }
}

function altered(rest: string, of: TableEffect, database: string): TableEffect[] {
  // Nobody writes one as long as that by hand: rather than search in it, its table is read anew.
  if (rest.length > LONGEST_ALTER) return [{ ...of, what: 'cut' }];
  const renamed = new RegExp(`\\bRENAME\\s+(?:(?:TO|AS|=)\\s*)?(?!(?:COLUMN|INDEX|KEY|TO|AS)\\b)${TABLE}`, 'isu').exec(rest);
  if (renamed) {
    const [, first = '', second] = renamed;
    const to = second === undefined ? { database, table: plain(first) } : { database: plain(first), table: plain(second) };
    return [
      { ...of, what: 'replaced' },
      { ...to, what: 'replaced' },
    ];
  }
  const isCut = /\b(DROP|TRUNCATE|EXCHANGE|CONVERT|IMPORT|DISCARD)\s+(PARTITION|TABLESPACE)\b/i.test(rest);
  if (!isCut) return [of];
  const other = new RegExp(`\\bWITH\\s+TABLE\\s+${TABLE}`, 'isu').exec(rest);
  if (!other) return [{ ...of, what: 'cut' }];
  const [, first = '', second] = other;
  const exchanged = second === undefined ? { database, table: plain(first) } : { database: plain(first), table: plain(second) };
  return [
    { ...of, what: 'cut' },
    { ...exchanged, what: 'cut' },
  ];
}

const LONGEST_ALTER = 20_000;

/** Comments of columns and defaults may hold any words. */
function withoutTexts(text: string): string {
  let plain = '';
  for (let at = 0; at < text.length; ) {
    if (text[at] === "'") {
      for (at++; at < text.length && text[at] !== "'"; at++) if (text[at] === '\\') at++;
      at++;
      plain += "''";
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end === -1 ? text.length : end + 2;
      plain += ' ';
    } else plain += text[at++];
  }
  return plain;
}

function namesIn(list: string): RegExpMatchArray[] {
  const found: RegExpMatchArray[] = [];
  const pattern = new RegExp(`\\s*${TABLE}\\s*(,)?`, 'isuy');
  for (let match = pattern.exec(list); match; match = match[3] ? pattern.exec(list) : null) found.push(match);
  return found;
}
