export type Engine = 'sqlite' | 'postgres';

/** A statement or a part of one, with its parameters: values are never written into the text. */
export interface Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
}

/** A finished part in the words of one engine: `?` for the parameters of SQLite, `$1` and so on for a whole statement of PostgreSQL. */
interface FinishedSql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A part that the two engines spell differently. */
export interface EngineSql {
  readonly forEngine: (engine: Engine) => Sql | FinishedSql;
}

/** `` sql`select * from orders where id = ${id}` ``: parts nest, everything else becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return { strings, values };
}

/** Text of our own making: names and keywords, never anything from outside. */
export function raw(text: string): Sql {
  return { strings: [text], values: [] };
}

/** A statement that others have written for PostgreSQL. */
export function finished(text: string, values: readonly unknown[] = []): Sql {
  return { strings: ['', ''], values: [byEngine(() => ({ text, values }))] };
}

/** A whole number written into the text, for the few places where the planner does better knowing it. */
export function integer(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number.`);
  return raw(String(value));
}

export function byEngine(forEngine: EngineSql['forEngine']): EngineSql {
  return { forEngine };
}

export function join(parts: readonly (Sql | EngineSql)[], separator: string): Sql {
  const between = Array.from({ length: Math.max(0, parts.length - 1) }, () => separator);
  return parts.length === 0 ? raw('') : { strings: ['', ...between, ''], values: parts };
}

/** `a and b and c`, or `true`. */
export function all(conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? raw('true') : join(given, ' and ');
}

/** Locks the rows that a statement reads until the commit; SQLite has one writer and needs no such thing. */
export const forUpdate: EngineSql = byEngine((engine) => raw(engine === 'postgres' ? 'for update' : ''));

export interface Statement {
  text: string;
  parameters: unknown[];
}

export function compile(query: Sql, engine: Engine): Statement {
  const statement: Statement = { text: '', parameters: [] };
  append(statement, query, engine);
  return statement;
}

function append(statement: Statement, part: Sql | FinishedSql, engine: Engine): void {
  if ('text' in part) {
    statement.text += part.text;
    for (const value of part.values) statement.parameters.push(value);
    return;
  }
  const { strings, values } = part;
  statement.text += strings[0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (isEngineSql(value)) append(statement, value.forEngine(engine), engine);
    else if (isSql(value)) append(statement, value, engine);
    else {
      statement.parameters.push(value);
      statement.text += engine === 'postgres' ? `$${statement.parameters.length}` : '?';
    }
    statement.text += strings[i + 1];
  }
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value;
}

function isEngineSql(value: unknown): value is EngineSql {
  return typeof value === 'object' && value !== null && 'forEngine' in value;
}
