// A process that sends requests at a steady rate, whether or not the ones before were answered: takes the plan as a JSON file,
// prints as JSON how long each answer took, counted from the moment at which its request was due.
//
// It stands for clients on other machines, so it is as light as can be (bare sockets, requests made beforehand) and comes
// before everything else: what it measures shall be neither its own work nor how long it waited for a processor itself.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawRequest } from './load.ts';
import { canPrecede, precede } from './processors.ts';
import type { SteadyPlan } from './steady.ts';

const CONNECTIONS = 32;
const PRECEDENCE = -15;

const [file = ''] = process.argv.slice(2);
const { url, requests, perSecond, seconds } = JSON.parse(readFileSync(file, 'utf8')) as SteadyPlan;
const { hostname, port } = new URL(url);
const onTheWire = requests.map((request) => rawRequest(url, request)).map(({ head, tail }) => Buffer.from(head + tail));
// By itself and by its session: which of them counts is a setting of the kernel.
if (canPrecede) {
  setPriority(PRECEDENCE);
  precede('self', PRECEDENCE);
}
const free = await Promise.all(Array.from({ length: CONNECTIONS }, open));

const total = Math.round(perSecond * seconds);
const started = performance.now();
const answers: Promise<number>[] = [];
while (answers.length < total) {
  const due = started + (answers.length * 1000) / perSecond;
  const early = due - performance.now();
  if (early > 0) await sleep(Math.ceil(early));
  answers.push(answered(answers.length, due));
}
process.stdout.write(JSON.stringify(await Promise.all(answers)));
for (const socket of free) socket.destroy();

async function answered(index: number, due: number): Promise<number> {
  const socket = free.pop() ?? (await open());
  const request = onTheWire[index % onTheWire.length] as Buffer;
  await exchange(socket, request);
  free.push(socket);
  return performance.now() - due;
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends a request and waits until its answer is here to the last byte. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing: number | undefined;
    const settle = (error?: Error): void => {
      socket.off('data', take).off('close', refuse);
      if (error) reject(error);
      else resolve();
    };
    const take = (chunk: Buffer): void => {
      if (missing === undefined) {
        const end = chunk.indexOf('\r\n\r\n');
        const head = chunk.toString('latin1', 0, end);
        const length = /^content-length: (\d+)/im.exec(head)?.[1];
        if (end === -1 || length === undefined || !head.startsWith('HTTP/1.1 200 ')) return settle(new Error(`Answered: ${head}`));
        missing = Number(length) + end + 4;
      }
      missing -= chunk.length;
      if (missing <= 0) settle();
    };
    const refuse = (): void => settle(new Error('The connection was closed before the answer was here.'));
    socket.on('data', take).once('close', refuse);
    socket.write(request);
  });
}
