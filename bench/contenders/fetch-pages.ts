// One pass of a bare loop of `fetch` and `JSON.parse` over an API in pages. It looks at nothing of what it gets.
import { report } from '../support/rates.ts';

const [port = '', expected = ''] = process.argv.slice(2);
const started = performance.now();
let rows = 0;
for (let next: number | null = 1; next !== null; ) {
  const response = await fetch(`http://127.0.0.1:${port}/articles?page=${next}`);
  const page = JSON.parse(await response.text()) as { data: unknown[]; next: number | null };
  rows += page.data.length;
  next = page.next;
}
if (rows !== Number(expected)) throw new Error(`${rows} rows instead of ${expected}.`);
report((performance.now() - started) / 1000);
