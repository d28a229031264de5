// A process that sends requests at a steady rate, whether or not the ones before were answered: takes the plan as a JSON file,
// prints as JSON how long each answer took, counted from the moment at which its request was due.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { SteadyPlan } from './steady.ts';

const [file = ''] = process.argv.slice(2);
const { url, requests, perSecond, seconds } = JSON.parse(readFileSync(file, 'utf8')) as SteadyPlan;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const started = performance.now();
const total = Math.round(perSecond * seconds);
const answers: Promise<number>[] = [];

await new Promise<void>((resolve) => {
  const tick = setInterval(() => {
    while (answers.length < total && started + (answers.length * 1000) / perSecond <= performance.now())
      answers.push(send(answers.length, started + (answers.length * 1000) / perSecond));
    if (answers.length < total) return;
    clearInterval(tick);
    resolve();
  }, 1);
});
process.stdout.write(JSON.stringify(await Promise.all(answers)));
agent.destroy();

function send(index: number, due: number): Promise<number> {
  const { method, path, headers, body } = requests[index % requests.length] as (typeof requests)[number];
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(performance.now() - due) : reject(new Error(`${path}: ${answer.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
