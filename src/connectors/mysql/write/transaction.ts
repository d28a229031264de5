import { setTimeout as pause } from 'node:timers/promises';
import { OutsideError } from '../../../outside/errors.ts';
import type { Eventual } from '../../sql-target/transact.ts';
import type { Wire } from '../wire/connection.ts';

const MOST_ATTEMPTS = 8;

/**
 * All or nothing. When the connection is lost, the server rolls back by itself. A deadlock undoes everything too, and is no
 * reason to give up: the work is done anew.
 */
export async function transaction<T>(wire: Wire, work: () => Eventual<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await wire.run('start transaction');
    try {
      const result = await work();
      await wire.run('commit');
      return result;
    } catch (error) {
      if (wire.isOpen) await wire.run('rollback').catch(() => wire.destroy());
      const isDeadlock = error instanceof OutsideError && error.code === 'DEADLOCK';
      if (!isDeadlock || attempt === MOST_ATTEMPTS || !wire.isOpen) throw error;
      // Not at the same moment as the one that was in the way.
      await pause(Math.random() * 30 * attempt);
    }
  }
}
