import { setTimeout as wait } from 'node:timers/promises';
import { aborted, OutsideError } from '../../outside/errors.ts';
import type { FakeConfig, FaultMoment } from './manifest.ts';
import type { Memory } from './memory.ts';

/** Lets the scripted delay pass, then fails where the script says so, or where the connection was cut. */
export class Script {
  readonly #memory: Memory;
  readonly #config: FakeConfig;
  readonly #epoch: number;
  readonly #signal: AbortSignal;

  constructor(memory: Memory, config: FakeConfig, signal: AbortSignal) {
    this.#memory = memory;
    this.#config = config;
    this.#epoch = memory.epoch;
    this.#signal = signal;
  }

  async at(
    moment: FaultMoment,
    { stream, batches = 0, signal }: { stream?: string; batches?: number; signal?: AbortSignal | undefined } = {},
  ) {
    const either = signal ? AbortSignal.any([signal, this.#signal]) : this.#signal;
    if (either.aborted) throw aborted();
    if (this.#config.delay_ms > 0) await pause(this.#config.delay_ms, either);
    if (this.#memory.epoch !== this.#epoch) throw new OutsideError('transient', 'CONNECTION_LOST', 'The connection was cut.');
    for (const fault of [...this.#memory.faults, ...this.#config.fail]) {
      const struck = this.#memory.struck.get(fault) ?? 0;
      if (fault.at !== moment || (fault.stream !== undefined && fault.stream !== stream)) continue;
      if (batches < (fault.after_batches ?? 0) || struck >= (fault.times ?? Infinity)) continue;
      this.#memory.struck.set(fault, struck + 1);
      // In a thread this ends the thread alone.
      if (fault.ends) process.exit();
      if (fault.hang) await pause(2 ** 31 - 1, either);
      throw new OutsideError(fault.kind, fault.code ?? 'SCRIPTED', fault.message ?? `The script says: fail at ${moment}.`);
    }
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => {
    throw aborted();
  });
}
