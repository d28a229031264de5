import { spawn } from 'node:child_process';
import { atEnd } from './cleanup.ts';

/** What a program printed, once it has ended well. */
export function printedBy(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // In a session of its own, as a client on another machine would be: the kernel shares out the processors by session.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const killNow = (): boolean => child.kill('SIGKILL');
    process.once('exit', killNow);
    atEnd(killNow);
    let printed = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', killNow);
      if (code === 0) resolve(printed);
      else reject(new Error(`${program} failed: ${complaints}${printed}`));
    });
  });
}
