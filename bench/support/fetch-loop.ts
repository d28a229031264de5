// Sends bodies by `fetch`, as many at a time as it is told, as fast as it can; prints how many a second.
import { readFileSync } from 'node:fs';

const { url, bodies, inFlight } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  url: string;
  bodies: string[];
  inFlight: number;
};
let next = 0;
const began = performance.now();
const send = async (): Promise<void> => {
  for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`It was answered ${response.status}.`);
  }
};
await Promise.all(Array.from({ length: inFlight }, send));
console.log((bodies.length / (performance.now() - began)) * 1000);
