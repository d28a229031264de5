import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';

const inPool = promisify(verify);

/** Half of the threads that Node has for such work: files and names of hosts need the others. */
const PLACES = 2;
let taken = 0;
const waiting: (() => void)[] = [];

/** Whether one of the keys (ed25519) has made one of the signatures. Beside the main thread, as 10 MiB take it some hundredths of a second. */
export async function anyVerified(keys: readonly KeyObject[], signed: readonly Buffer[], signatures: readonly Buffer[]): Promise<boolean> {
  if (keys.length === 0 || signatures.length === 0) return false;
  if (taken < PLACES) taken++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    const whole = Buffer.concat(signed);
    for (const key of keys) {
      for (const signature of signatures) if (await inPool(null, whole, key, signature)) return true;
    }
    return false;
  } finally {
    // The place goes to the next one, or is free.
    const next = waiting.shift();
    if (next) next();
    else taken--;
  }
}
