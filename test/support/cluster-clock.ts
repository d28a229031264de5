import { globSync } from 'node:fs';
import { installPackage } from './debian-package.ts';

const LIBRARY = '/usr/lib/*/faketime/libfaketimeMT.so.1';

/** What has to be in the environment of a process whose clock is off by so many seconds. It goes on at its usual pace. */
export function clockOff(seconds: number): Record<string, string> {
  return {
    LD_PRELOAD: library(),
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    // Only what is told of the day is wrong; timers are not.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

function library(): string {
  const found = globSync(LIBRARY)[0];
  if (found) return found;
  installPackage('libfaketime', 'The tests need libfaketime (Debian: libfaketime) for a node whose clock is wrong. Install it.');
  const installed = globSync(LIBRARY)[0];
  if (!installed) throw new Error(`libfaketime was installed but ${LIBRARY} is not there.`);
  return installed;
}
