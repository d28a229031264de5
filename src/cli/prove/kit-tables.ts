import type { Random } from '../../sample/random.ts';
import type { KitDialect } from './kit-end.ts';

/** One table for each mode. Rows come, change, go and get other keys in all but the one that is only appended to. */
export const KIT_TABLES = { mirror: 'mirrored', incremental: 'renewed', append: 'appended', cdc: 'followed' } as const;
export type KitMode = keyof typeof KIT_TABLES;

export const KIT_COLUMNS = ['id', 'version', 'at', 'amount', 'note'] as const;

export type ChangeKind = 'insert' | 'update' | 'delete' | 'change key' | 'insert again';

const CHANGES: readonly (readonly [ChangeKind, number])[] = [
  ['insert', 4],
  ['update', 5],
  ['delete', 3],
  ['change key', 2],
  ['insert again', 1],
];
const AT_ONCE = 20;
const MANY_AT_ONCE = 400;
const MANY = 0.1;
/** So many rows go into one statement. */
const IN_A_STATEMENT = 500;
/** What is easily lost on the way from one system to another. */
const ODDITIES = [
  'tab\there',
  'line\nbreak',
  'back\\slash',
  "quo'te",
  '"',
  ' space at the end ',
  'é',
  'e\u0301',
  '漢字',
  '😀',
  '',
  '\\N',
  '%s',
  'NULL',
];

export interface KitChange {
  readonly kind: ChangeKind;
  readonly statement: string;
}

/** Makes the statements by which a source changes, from chance that a seed repeats. */
export class KitStatements {
  /** The highest id that was ever given, in any table. */
  lastId = 0;
  readonly #random: Random;
  readonly #dialect: KitDialect;

  constructor(random: Random, dialect: KitDialect) {
    this.#random = random;
    this.#dialect = dialect;
  }

  create(table: string): string[] {
    const { time, decimal, text } = this.#dialect.types;
    return [
      `create table ${table} (id bigint not null primary key, version bigint not null, at ${time} not null, amount ${decimal}, note ${text} not null)`,
      `create index ${table}_at on ${table} (at)`,
    ];
  }

  /** So many rows, in statements that are not too long. */
  *fill(table: string, rows: number): Generator<string> {
    for (let left = rows; left > 0; left -= IN_A_STATEMENT) yield this.#insert(table, Math.min(left, IN_A_STATEMENT), 40);
  }

  /** A change of one of all kinds; of a table that is only appended to, new rows. */
  change(mode: KitMode): KitChange {
    const table = KIT_TABLES[mode];
    const kind = mode === 'append' ? 'insert' : this.#random.weighted(CHANGES);
    return { kind, statement: this.#statement(table, kind) };
  }

  #statement(table: string, kind: ChangeKind): string {
    const many = this.#random.between(1, this.#random.chance(MANY) ? MANY_AT_ONCE : AT_ONCE);
    const from = this.#random.between(1, Math.max(1, this.lastId));
    const changed = `version = version + 1, at = ${this.#dialect.now()}`;
    switch (kind) {
      case 'insert':
        return this.#insert(table, many, 3);
      case 'update':
        return `update ${table} set ${changed}, amount = ${this.#amount()}, note = ${this.#note(3)} where id between ${from} and ${from + many}`;
      case 'delete':
        return `delete from ${table} where id between ${from} and ${from + Math.ceil(many / 2)}`;
      case 'change key':
        return `update ${table} set id = ${++this.lastId}, ${changed} where id = ${from}`;
      default: {
        // The key of a row that is gone, perhaps: it comes back as another.
        const [before, behind] = this.#dialect.insertNew;
        return `${before} ${table} (id, version, at, amount, note) values (${from}, -1, ${this.#dialect.now()}, null, 'again') ${behind}`;
      }
    }
  }

  #insert(table: string, count: number, words: number): string {
    const now = this.#dialect.now();
    const rows = Array.from({ length: count }, () => `(${++this.lastId}, 1, ${now}, ${this.#amount()}, ${this.#note(words)})`);
    return `insert into ${table} (id, version, at, amount, note) values ${rows.join(', ')}`;
  }

  #amount(): string {
    return this.#random.chance(0.1) ? 'null' : (this.#random.between(-99_999, 99_999) / 100).toFixed(2);
  }

  #note(words: number): string {
    const text = Array.from({ length: words }, () =>
      this.#random.chance(0.3) ? this.#random.pick(ODDITIES) : this.#random.between(0, 2 ** 31).toString(36),
    );
    return this.#dialect.quote(text.join(' '));
  }
}
