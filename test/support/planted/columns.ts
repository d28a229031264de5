import { type CanonicalType, comparable, type Row, type Value } from '../../../src/connectors/canonical.ts';

/** The systems between which differences are planted. */
export type SystemName = 'postgres' | 'mysql' | 'sqlite' | 'csv' | 'parquet';

/** A column, with values that are one smallest step apart: each stands beside those that it is easily taken for. */
export interface PlantedColumn {
  readonly name: string;
  readonly type: CanonicalType;
  /** Each list is of values that are one step apart; some of them are the same value in another spelling. */
  readonly steps: readonly (readonly Value[])[];
  /** What the column is where the system has a type for it that we do not carry. */
  readonly native?: Partial<Readonly<Record<SystemName, string>>>;
}

const DIGITS_38 = '12345678901234567890123456789012345678';

export const COLUMNS: readonly PlantedColumn[] = [
  {
    name: 'a_text',
    type: 'text',
    steps: [
      ['Row', 'row', 'Row ', ' Row', 'Row\t', 'Rows', 'R\u00a0w', 'R w'],
      ['Z\u00fcrich', 'Zu\u0308rich', 'Zurich', 'Z\u00dcRICH'],
      ['\u{1f600}', '\u{1f601}', '\u{1f600}\ufe0f', ''],
      ['', null, ' ', '\\N', 'NULL', 'null', '""'],
      ['a\nb', 'a\r\nb', 'a\\nb', 'a b', 'a\rb'],
      ['a,b', 'a;b', '"a,b"', `'a,b'`, 'a\\,b', 'a\\'],
      ['\u{1f468}\u200d\u{1f469}', '\u{1f468}\u{1f469}', '\u00df', 'ss', '\u1e9e'],
      ['0', 'O', '00', '0.0', '-0', 'true', 'f'],
    ],
  },
  {
    name: 'an_int',
    type: 'int64',
    steps: [
      ['0', '1', '-1', null],
      ['9007199254740993', '9007199254740992', '9007199254740994'],
      ['9223372036854775807', '9223372036854775806', '-9223372036854775808', '-9223372036854775807'],
    ],
  },
  {
    name: 'a_decimal',
    type: 'decimal',
    steps: [
      ['1.0', '1.00', '1', '1.01', null],
      ['0', '-0', '0.000', '0.0000000001', '-0.0000000001'],
      [DIGITS_38, `${DIGITS_38.slice(0, -1)}9`, `-${DIGITS_38}`],
      ['1234567890123456789012345678.0123456789', '1234567890123456789012345678.012345679'],
      ['NaN', 'Infinity', '-Infinity', null],
    ],
  },
  {
    name: 'a_double',
    type: 'float64',
    steps: [
      ['0', '-0', '5e-324', '-5e-324', null],
      ['0.1', '0.10000000000000002', '0.09999999999999999', '1e-1'],
      ['0.3', '0.30000000000000004'],
      ['1.7976931348623157e308', '1.7976931348623155e308'],
      ['9007199254740992', '9007199254740994'],
      ['NaN', 'Infinity', '-Infinity', null],
    ],
  },
  { name: 'a_flag', type: 'boolean', steps: [['t', 'f', null]] },
  {
    name: 'a_date',
    type: 'date',
    steps: [
      ['2026-02-28', '2026-03-01', null],
      ['1582-10-04', '1582-10-15', '1970-01-01', '1969-12-31'],
      ['1000-01-01', '1000-01-02'],
      ['0001-01-01', '0001-01-02', '0001-12-31 BC', '0044-03-15 BC'],
      ['9999-12-31', '9999-12-30'],
      ['12026-01-01', '12026-01-02'],
      ['infinity', '-infinity', null],
    ],
  },
  {
    name: 'a_time',
    type: 'time',
    steps: [['00:00:00', '00:00:00.000001', '23:59:59.999999', '23:59:59', '04:42:11.100000', '04:42:11.1']],
  },
  {
    name: 'a_timestamp',
    type: 'timestamp',
    steps: [
      ['2026-01-01 00:00:00', '2026-01-01 00:00:00.000001', '2026-01-01 00:00:00.000000', null],
      ['9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999998'],
      ['1969-12-31 23:59:59.999999', '1970-01-01 00:00:00'],
      ['0044-03-15 12:00:00 BC', '0044-03-15 12:00:00.000001 BC'],
      ['infinity', '-infinity'],
    ],
  },
  {
    name: 'a_moment',
    type: 'timestamptz',
    steps: [
      ['2026-03-29 01:00:00+00', '2026-03-29 01:00:00.000001+00', '2026-03-29 00:59:59.999999+00', null],
      ['9999-12-31 23:59:59.5+00', '9999-12-31 23:59:59.500000+00', '9999-12-31 23:59:59.500001+00'],
    ],
  },
  {
    name: 'a_uuid',
    type: 'uuid',
    steps: [
      ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001', null],
      ['ffffffff-ffff-4fff-bfff-ffffffffffff', 'efffffff-ffff-4fff-bfff-ffffffffffff'],
    ],
  },
  {
    name: 'a_json',
    type: 'json',
    steps: [
      ['{"a":1,"b":[1,2]}', '{"b":[1,2],"a":1}', '{ "a": 1, "b": [1, 2] }', '{"a":1,"b":[2,1]}', '{"A":1,"b":[1,2]}', null],
      ['{"a":"\u00e9"}', '{"a":"\\u00e9"}', '{"a":"e\u0301"}', '{"a":""}', '{"a":null}', '{}', '[]'],
      ['{"n":9007199254740993}', '{"n":9007199254740992}', '{"n":0.1}', '{"n":"0.1"}', '{"n":0.10000000000000001}'],
    ],
  },
  {
    name: 'a_binary',
    type: 'binary',
    steps: [
      ['\\x', '\\x00', '\\x0000', '\\x20', null],
      ['\\xdeadbeef', '\\xdeadbeee', '\\xdeadbeef00'],
    ],
  },
  { name: 'a_list', type: 'text', native: { postgres: 'int[]' }, steps: [['{1,2,NULL}', '{2,1,NULL}', '{1,2}', '{1,2,0}', null]] },
  {
    name: 'a_choice',
    type: 'text',
    native: { postgres: 'choice', mysql: `enum('new','New ish','old') collate utf8mb4_bin` },
    steps: [['new', 'New ish', 'old', null]],
  },
];

/** What both kinds of tables have besides: a number that tells rows apart for whoever plants, and what a key may be made of. */
export const KEY_COLUMNS: readonly PlantedColumn[] = [
  { name: 'n', type: 'int64', steps: [] },
  { name: 'code', type: 'text', steps: [] },
  { name: 'day', type: 'date', steps: [] },
];

export const ALL_COLUMNS: readonly PlantedColumn[] = [...KEY_COLUMNS, ...COLUMNS];

/** What a system cannot hold, or tells from others by nothing. */
export function lacks(system: SystemName, type: CanonicalType, value: Value): boolean {
  if (value === null) return false;
  const isOdd = /nan|infinity/i.test(value);
  switch (system) {
    case 'sqlite':
      return type === 'float64' && value === 'NaN';
    case 'mysql':
      if (type === 'decimal' && /\d{36}/.test(value)) return true;
      return (type !== 'text' && isOdd) || (isMoment(type) && (value.endsWith('BC') || /^\d{5}/.test(value)));
    case 'parquet':
      return isOdd && type !== 'text' && type !== 'float64';
    default:
      return false;
  }
}

function isMoment(type: CanonicalType): boolean {
  return type === 'date' || type === 'timestamp' || type === 'timestamptz';
}

/** The steps of a column that both systems can take. */
export function stepsFor({ steps, type }: PlantedColumn, systems: readonly SystemName[]): Value[][] {
  return steps
    .map((list) => list.filter((value) => !systems.some((system) => lacks(system, type, value))))
    .filter((list) => list.length > 1);
}

/** A row as equal rows are equal texts. */
export function plain(row: Row): string {
  return JSON.stringify(ALL_COLUMNS.map(({ type }, at) => comparable(type, row[at] ?? null)));
}
