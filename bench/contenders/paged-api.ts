// An API with so many records in pages of 100, made beforehand: what is measured is reading. Says its address, and ends with its parent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = 100;
const rows = Number(process.argv[2]);
const CITIES = ['Berlin', 'Łódź', 'São Paulo', 'New York'];

function record(id: number): object {
  const time = new Date(1_790_000_000_000 + id * 1000).toISOString();
  return {
    id,
    name: `Article "${id}" with a name of usual length`,
    price: ((id * 37) % 100_000) / 100,
    quantity: id % 977,
    active: id % 3 > 0,
    note: id % 5 === 0 ? null : `A line\nand another, for number ${id}`,
    created_at: time,
    updated_at: time,
    customer: { id: id % 1000, city: CITIES[id % CITIES.length] },
  };
}

const pages = Array.from({ length: Math.ceil(rows / PAGE) }, (_, page) =>
  Buffer.from(
    JSON.stringify({
      data: Array.from({ length: Math.min(PAGE, rows - page * PAGE) }, (_, i) => record(page * PAGE + i)),
      next: page * PAGE + PAGE < rows ? page + 2 : null,
    }),
  ),
);
const server = createServer((request, response) => {
  const page = pages[Number(new URL(request.url ?? '/', 'http://api').searchParams.get('page') ?? 1) - 1];
  if (!page) return void response.writeHead(404).end();
  return void response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit()).resume();
