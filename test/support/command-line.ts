import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Place } from './databases.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/syncline.js', import.meta.url));

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `syncline …` as a user would, with these settings and none of the tests' own. */
export function syncline(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...environment };
    execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 180_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error ?? new Error('ended without a code'));
    });
  });
}

/** The settings that lead to a place. */
export function settingsOf({ dataDir, databaseUrl }: Place): Record<string, string> {
  return { SYNCLINE_DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
}
