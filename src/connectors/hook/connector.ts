import { aborted, OutsideError } from '../../outside/errors.ts';
import type { Connector, Session } from '../session.ts';
import type { HookPort } from '../hook-port.ts';
import { manifest } from './manifest.ts';
import { readCalls } from './read.ts';
import { STREAM } from './stream.ts';

interface HookConfig {
  readonly hook: string;
}

export const connector: Connector<HookConfig> = {
  manifest,
  open: async ({ hook }, { hooks, signal }) => {
    if (!hooks) throw new Error('The hooks were not lent to their connector.');
    return openSession(hooks, hook, signal);
  },
};

function openSession(hooks: HookPort, id: string, signal: AbortSignal): Session {
  let isClosed = false;
  const found = async () => {
    if (isClosed) throw aborted();
    const hook = await hooks.find(id);
    if (hook) return hook;
    throw new OutsideError('config', 'HOOK_MISSING', `There is no hook "${id}".`, {
      field: 'hook',
      hint: 'GET /api/v1/datasync/hooks lists those that there are.',
    });
  };
  return {
    check: async () => {
      const { name, calls } = await found();
      return { message: `The hook "${name}": ${calls === 1 ? '1 call' : `${calls} calls`}`, warnings: [] };
    },
    discover: async () => {
      const { calls } = await found();
      return [{ ...STREAM, estimatedRows: calls }];
    },
    read: (request) => {
      if (request.stream !== STREAM.name)
        throw new OutsideError('config', 'STREAM_MISSING', `A hook has no stream "${request.stream}".`, { hint: `It has ${STREAM.name}.` });
      return readCalls(hooks, id, request, signal);
    },
    write: async () => {
      throw new OutsideError('config', 'READ_ONLY', 'Calls of a hook are only read.', { hint: 'Choose another source as the target.' });
    },
    close: async () => {
      isClosed = true;
    },
  };
}
