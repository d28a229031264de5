// One pass of csv-parse over a CSV file, into an object for each row.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { report } from '../support/rates.ts';

const [path = '', expected = ''] = process.argv.slice(2);
const started = performance.now();
let rows = 0;
const parser = createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(parse({ columns: true }));
// By events: an asynchronous loop would cost it a third more.
await new Promise<void>((resolve, reject) => {
  parser.on('data', () => rows++);
  parser.once('end', resolve);
  parser.once('error', reject);
});
if (rows !== Number(expected)) throw new Error(`${rows} rows instead of ${expected}.`);
report((performance.now() - started) / 1000);
