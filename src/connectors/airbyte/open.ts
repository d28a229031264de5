import { OutsideError } from '../../outside/errors.ts';
import { createHttpClient } from '../../outside/http/client.ts';
import { explainWith } from '../../outside/http/words.ts';
import type { Context } from '../contract.ts';
import type { AirbyteConfig } from './config.ts';
import { type Described, nameOf } from './described.ts';
import { readManifest, type ResolvedManifest } from './language/manifest.ts';
import { type WaitingClock, realClock } from './runtime/clock.ts';
import { manifestFault, type Part, partOf } from './runtime/parts.ts';
import { budgetOf } from './runtime/request/budget.ts';
import { ReplyCache } from './runtime/request/cache.ts';
import type { AirbyteSession } from './runtime/session.ts';
import { Vault } from './runtime/vault.ts';
import { secretsIn, settingsFor } from './settings.ts';
import { type ManifestStreams, streamsOf } from './streams.ts';

/** A manifest with its settings, ready to be worked with. */
export interface OpenManifest {
  readonly session: AirbyteSession;
  readonly resolved: ResolvedManifest;
  /** Those that can be read, and what the others lack. */
  streams(): Promise<ManifestStreams>;
  /** One of them; throws when there is none of this name, or when it needs code that is not here. */
  stream(name: string): Promise<Part>;
  readonly described: Map<string, Promise<Described>>;
  close(): void;
}

const TIMEOUT = 60_000;
const TOTAL = 3_600_000;
/** Below this, after the first minute, an answer only drips. */
const MIN_BYTES_PER_SECOND = 256;

const explain = explainWith({
  who: 'The API',
  address: 'settings',
  addressInWords: 'the settings that the address is made of',
  authority: 'tls.ca',
  slowHint: 'Check that the API is well.',
  large: { field: 'settings', hint: 'Have the manifest ask for smaller pages.' },
});

export function openManifest(
  text: string,
  config: AirbyteConfig,
  context: Pick<Context, 'reach' | 'tell' | 'secrets'>,
  signal: AbortSignal,
  clock: WaitingClock = realClock,
): OpenManifest {
  return openResolved(readManifest(text), config, context, signal, clock);
}

export function openResolved(
  resolved: ResolvedManifest,
  config: Pick<AirbyteConfig, 'settings'>,
  context: Pick<Context, 'reach' | 'tell' | 'secrets' | 'traceparent'>,
  signal: AbortSignal,
  clock: WaitingClock,
): OpenManifest {
  const specification = partOf(resolved.spec?.['connection_specification']);
  const settings = settingsFor(resolved.spec, specification, config.settings);
  const vault = new Vault();
  for (const [name, secret] of secretsIn(specification, settings)) vault.keep(name, secret);
  const wire = createHttpClient({
    reach: context.reach,
    traceparent: context.traceparent,
    keepsConnections: true,
    unpacks: true,
    bounds: { timeout: TIMEOUT, total: TOTAL, bytesPerSecond: MIN_BYTES_PER_SECOND, pace: 'so far' },
    explain,
  });
  const session: AirbyteSession = {
    config: settings,
    wire,
    clock,
    vault,
    budget: budgetOf(settings, partOf(resolved.source['api_budget']), clock),
    cache: new ReplyCache(),
    signal,
    tell: context.tell,
    secrets: context.secrets,
    shared: new Map(),
  };
  let known: Promise<ManifestStreams> | undefined;
  const streams = (): Promise<ManifestStreams> => {
    known ??= streamsOf(session, resolved);
    // What failed once is asked again.
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  return {
    session,
    resolved,
    streams,
    stream: async (name) => {
      const { readable, unreadable } = await streams();
      const part = readable.find((candidate) => nameOf(candidate) === name);
      if (part) return part;
      const lack = unreadable.get(name);
      if (lack)
        throw manifestFault(lack.code, `It cannot be read: ${lack.reason}.`, 'Use a manifest that does without, or another stream.');
      throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${name}" in the manifest.`, {
        field: 'manifest',
        hint: `There are: ${readable.map(nameOf).join(', ').slice(0, 500)}.`,
      });
    },
    described: new Map(),
    close: () => wire.close(),
  };
}
