import { isJsonObject, type JsonObject, parseExactly } from '../../lib/exact-json.ts';
import { OutsideError } from '../../outside/errors.ts';
import { isRunPosition, type RunPosition } from './runtime/run.ts';
import type { Vault } from './runtime/vault.ts';

/** Where a read goes on. It is kept with the data, so it holds no secret. */
export interface AirbytePosition {
  /** Of a read under way: where it stands, and which of the two ways of a stream it goes. */
  readonly run?: RunPosition | undefined;
  readonly variant?: string | undefined;
  /** Of one that came to its end: what the next begins with. */
  readonly state?: JsonObject | undefined;
  /** Digests of the records at the boundary: of this read, and of the one before. */
  readonly seen: readonly string[];
  readonly before: readonly string[];
}

export function writePosition(stream: string, cursor: string | undefined, position: AirbytePosition, vault: Vault): string {
  const { run, variant, state, seen, before } = position;
  return JSON.stringify({
    stream,
    cursor,
    run: vault.hide(run),
    variant,
    state,
    seen: seen.length === 0 ? undefined : seen,
    before: before.length === 0 ? undefined : before,
  });
}

export function readPosition(text: string, stream: string, cursor: string | undefined, vault: Vault): AirbytePosition {
  const given = parsed(text);
  const run = vault.reveal(given['run']);
  const { variant, state, seen = [], before = [] } = given;
  const isTexts = (list: unknown): list is string[] => Array.isArray(list) && list.every((entry) => typeof entry === 'string');
  const fits =
    given['stream'] === stream &&
    given['cursor'] === cursor &&
    (run === undefined ? isJsonObject(state) : isRunPosition(run)) &&
    (variant === undefined || typeof variant === 'string') &&
    isTexts(seen) &&
    isTexts(before);
  if (!fits) throw invalid();
  return {
    run: run as RunPosition | undefined,
    variant,
    state: state as JsonObject | undefined,
    seen,
    before,
  };
}

function parsed(text: string): JsonObject {
  try {
    const value = parseExactly(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  throw invalid();
}

function invalid(): OutsideError {
  return new OutsideError(
    'config',
    'POSITION_INVALID',
    'The position to go on from does not belong to this stream of the manifest as it is now.',
    {
      hint: 'Reset the synchronization, so that it reads from the beginning.',
    },
  );
}
