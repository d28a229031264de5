// A receiver of webhooks that does as little as one can: it notes how old each message on /hook is, and answers. Asked to, it never answers on /dying any more.
import { createServer } from 'node:http';

let delays: number[] = [];
let isDead = false;

createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'GET') {
    if (url === '/die') isDead = true;
    const told = url === '/told' ? delays : [];
    if (url === '/told') delays = [];
    return void response.end(JSON.stringify(told));
  }
  let text = '';
  request.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  return void request.on('end', () => {
    if (isDead && url === '/dying') return;
    if (url === '/hook') {
      const from = text.indexOf('"timestamp":"') + 13;
      delays.push(Date.now() - Date.parse(text.slice(from, from + 24)));
    }
    response.writeHead(204).end();
  });
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: Number(process.env['BACKLOG'] ?? 511) });
