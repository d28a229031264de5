const DIGITS = Array.from({ length: 10 }, (_, digit) => `select ${digit} as d`).join(' union all ');

/** Numbers from the first to the last, as a query with the column `n`: MariaDB has sequences for that, MySQL has not. */
export function mysqlNumbers(first: number, last: number): string {
  const places = Array.from({ length: String(last - first + 1).length }, (_, place) => place);
  const sum = places.map((place) => `d${place}.d * ${10 ** place}`).join(' + ');
  const digits = places.map((place) => `(${DIGITS}) d${place}`).join(' cross join ');
  return `select n from (select ${first} + ${sum} as n from ${digits}) numbers where n <= ${last}`;
}
