import type { PackedError } from '../../connectors/packed-error.ts';
import { packError, unpackError } from '../../connectors/packed-error.ts';
import type { SecretPort } from '../../connectors/contract.ts';
import type { HookPort } from '../../connectors/hook-port.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import { asOutsideError } from './app-errors.ts';

// Threads that work for users reach our own database, and the shop in it, by way of the main thread.

/** A thread calls a method of one of the main thread's objects. */
export interface ThreadCall {
  readonly call: number;
  /** Which object. */
  readonly on: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type CallAnswer = { readonly answer: number } & ({ readonly output: unknown } | { readonly error: PackedError });

/** The calls of a thread, as the thread sees them. */
export interface Calls {
  readonly caller: (on: string, method: string) => <Output>(...args: unknown[]) => Promise<Output>;
  /** Takes the answer to a call. */
  readonly settle: (answer: CallAnswer) => void;
}

export function callsOver(send: (call: ThreadCall) => void): Calls {
  const pending = new Map<number, { resolve: (output: never) => void; reject: (error: unknown) => void }>();
  let calls = 0;
  return {
    caller:
      (on, method) =>
      <Output>(...args: unknown[]): Promise<Output> =>
        new Promise((resolve, reject) => {
          const call = ++calls;
          pending.set(call, { resolve, reject });
          send({ call, on, method, args });
        }),
    settle: (answer) => {
      const waiting = pending.get(answer.answer);
      pending.delete(answer.answer);
      if ('error' in answer) waiting?.reject(unpackError(answer.error));
      else waiting?.resolve(answer.output as never);
    },
  };
}

/** The shop of the main thread, in another. */
export function shopOver({ caller }: Calls): ShopPort {
  const shop = (method: keyof ShopPort) => caller('shop', method);
  return {
    read: shop('read'),
    lastChange: shop('lastChange'),
    changes: shop('changes'),
    find: shop('find'),
    count: shop('count'),
    writeProducts: shop('writeProducts'),
    deleteProducts: shop('deleteProducts'),
    writeOrders: shop('writeOrders'),
  };
}

/** The hooks of the main thread, in another. */
export function hooksOver({ caller }: Calls): HookPort {
  return { find: caller('hooks', 'find'), read: caller('hooks', 'read') };
}

/** The secrets of one source, kept by the main thread, in another. */
export function secretsOver({ caller }: Calls, source: string): SecretPort {
  const [current, replace] = [caller('secrets', 'current'), caller('secrets', 'replace')];
  return { current: (place) => current(source, place), replace: (place, old, by) => replace(source, place, old, by) };
}

/** Does in the main thread what a thread has called for. */
export async function answerCall(
  service: Readonly<Record<string, object>>,
  { call, on, method, args }: ThreadCall,
  reply: (answer: CallAnswer) => void,
): Promise<void> {
  try {
    const target = service[on] as Record<string, (...args: readonly unknown[]) => Promise<unknown>> | undefined;
    reply({ answer: call, output: await target?.[method]?.(...args) });
  } catch (error) {
    reply({ answer: call, error: packError(asOutsideError(error)) });
  }
}
