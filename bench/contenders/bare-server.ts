// A server that does nothing but answer: what is left is what the machine does to whoever answers.
import { createServer } from 'node:http';

createServer((request, answer) => request.resume().on('end', () => answer.end('{}'))).listen(Number(process.env['PORT']), '127.0.0.1');
