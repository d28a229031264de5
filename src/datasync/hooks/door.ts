import { isUtf8 } from 'node:buffer';
import type { Database } from '../../db/database.ts';
import { type Door, door, type DoorCall } from '../../http/door.ts';
import { Nullable, Strict, Success } from '../../http/schemas.ts';
import type { Hints } from '../../jobs/hints.ts';
import { Batcher } from '../../lib/batcher.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { keptHeaders } from './kept-headers.ts';
import { type CalledHook, type KnownHooks, validSecrets } from './known-hooks.ts';
import { callId } from './queries.ts';
import { receiveCalls, type Received, type TakenCall } from './receive.ts';
import { type HookTally, REFUSED_WORDS } from './refusals.ts';
import { SECRET_HEADER, schemeOf, senderIdOf } from './schemes.ts';
import type { CallRefusal, SentCall } from './signatures.ts';

export const HOOK_PATH = '/api/v1/hooks';
const BODY_LIMIT = 10 * 1024 * 1024;
const MAX_BATCH = 500;
const MAX_WAITING = 10_000;

interface Options {
  db: Database;
  clock: Clock;
  hints: Hints;
  known: KnownHooks;
  tally: HookTally;
}

/** Where other systems call. Whatever is answered with 200 is on disk. */
export function hookDoor({ db, clock, hints, known, tally }: Options): Door {
  const batcher = new Batcher<TakenCall, Received | null>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    ...db.grouping,
    run: async (calls) => {
      const { received, wanted } = await db.write(receiveCalls, { at: isoTime(clock()), calls });
      if (wanted > 0) hints.tell('runs');
      return received;
    },
  });

  const take = async ({ guest: hook, headers, body }: DoorCall<CalledHook>) => {
    const now = clock();
    const call: SentCall = { headers, body, now };
    const scheme = schemeOf(hook.scheme);
    if (scheme.isPing?.(call)) return { id: null, duplicate: false };
    if (!hook.secrets) throw unreadable();
    const why = await scheme.check(call, validSecrets(hook.secrets, isoTime(now)), hook.header);
    if (why) {
      tally.refuse(hook.id, why);
      throw refused(why);
    }
    const isText = isUtf8(body) && !body.includes(0);
    const received = await batcher.submit({
      hookId: hook.id,
      senderId: senderIdOf(hook.scheme, call),
      headers: keptHeaders(headers, hook.scheme === 'secret' ? (hook.header ?? SECRET_HEADER) : null),
      body: body.toString(isText ? 'utf8' : 'base64'),
      encoding: isText ? 'utf8' : 'base64',
    });
    if (!received) throw gone();
    if (received.duplicate) tally.duplicates++;
    else tally.accepted++;
    return { id: callId(hook.id, received.seq), duplicate: received.duplicate };
  };

  return door({
    path: `${HOOK_PATH}/{token}`,
    tag: 'Hooks',
    summary: 'Receive a call of another system',
    description:
      'The address of a hook, for systems that send webhooks. It needs no key: the token is one. The body may be anything of up to 10 MiB; it must be signed as the scheme of the hook says, and is kept, byte by byte, before the answer. A message that was there already, by the id that the sender gives it, is answered with `duplicate`. What is not signed rightly is 401 and not kept.',
    bodyLimit: BODY_LIMIT,
    open: (token) => known.open(token),
    answer: Success(
      Strict({
        id: Nullable(Type.String({ description: 'The id of the call; null for a test of the sender that is not kept.' })),
        duplicate: Type.Boolean({ description: 'Whether it was there already.' }),
      }),
    ),
    examples: { answer: { success: true, data: { id: 'hok_01kfa0v2m3f8rb4v3k7m2t9xqe.17', duplicate: false } } },
    handle: async (call) => ({ success: true as const, data: await take(call) }),
  });
}

function refused(why: CallRefusal): AppError {
  return new AppError('UNAUTHORIZED', `The call was not taken. ${REFUSED_WORDS[why]}`, { reason: REFUSED_WORDS[why] });
}

/** It was deleted while the call came in. */
function gone(): AppError {
  return new AppError('UNAUTHORIZED', 'There is no such hook.', { reason: 'the hook is gone' });
}

/** The log of the start says for which hook, and what the operator can do. A sender tries again later. */
function unreadable(): AppError {
  const reason = 'the secret of the hook cannot be read at the moment';
  return new AppError('UNAVAILABLE', 'The call cannot be checked now. Try again later.', { reason }, { 'retry-after': '60' });
}
