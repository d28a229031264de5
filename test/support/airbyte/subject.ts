import { openResolved, type OpenManifest } from '../../../src/connectors/airbyte/open.ts';
import { readManifest, type ResolvedManifest } from '../../../src/connectors/airbyte/language/manifest.ts';
import type { WaitingClock } from '../../../src/connectors/airbyte/runtime/clock.ts';
import { partOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import type { JsonObject } from '../../../src/lib/exact-json.ts';
import { reachOf } from '../../../src/outside/reach.ts';
import { inventedSettings } from './settings.ts';
import { MEANT_FOR } from './simulator.ts';

/** A manifest, and settings that fit it. */
export interface Subject {
  readonly resolved: ResolvedManifest;
  readonly settings: JsonObject;
}

export function subjectOf(text: string, now: number): Subject {
  const resolved = readManifest(text);
  return { resolved, settings: inventedSettings(partOf(resolved.spec?.['connection_specification']) ?? {}, now, text) };
}

/** Small pages, so that few records are several: unless the manifest counts on large ones. */
export function withSmallPages(text: string): string {
  if (/stop_condition:.*[<>=]\s*\d{2,}/.test(text)) return text;
  return text.replace(/^(\s*(?:- )?page_size: )['"]?\d{1,6}['"]?\s*$/gm, (_, before: string) => `${before}3`);
}

/** Opens it as a process would that knows nothing of what was before. All that it asks goes to the simulator. */
export function openSubject({ resolved, settings }: Subject, port: number, clock: WaitingClock): OpenManifest {
  const manifest = openResolved(resolved, { settings }, { reach: reachOf('any'), tell: () => {} }, new AbortController().signal, clock);
  const { wire } = manifest.session;
  Object.assign(manifest.session, {
    wire: {
      ...wire,
      send: async (request: Parameters<typeof wire.send>[0], signal: AbortSignal) => {
        const headers = { ...request.headers, [MEANT_FOR]: request.url.href };
        const answer = await wire.send({ ...request, url: new URL(`http://127.0.0.1:${port}/`), headers }, signal);
        return { ...answer, url: request.url };
      },
    },
  });
  return manifest;
}
