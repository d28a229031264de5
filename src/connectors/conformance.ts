import { after, before, describe, test } from 'node:test';
import { anewCases } from './conformance/anew.ts';
import { applyCases } from './conformance/apply.ts';
import { checkpointCases } from './conformance/checkpoint.ts';
import { describeCases } from './conformance/describe.ts';
import { differenceCases } from './conformance/differences.ts';
import { digestCases } from './conformance/digests.ts';
import { faultCases } from './conformance/faults.ts';
import type { Harness, System } from './conformance/harness.ts';
import { incrementalCases } from './conformance/incremental.ts';
import { type Case, Kit } from './conformance/kit.ts';
import { logCases } from './conformance/log.ts';
import { logFaultCases } from './conformance/log-faults.ts';
import { milestoneCases } from './conformance/milestones.ts';
import { mirrorCases } from './conformance/mirror.ts';
import { namingCases } from './conformance/naming.ts';
import { noteCases } from './conformance/notes.ts';
import { partCases, rangeCases } from './conformance/parts.ts';
import { readCases } from './conformance/read.ts';
import { shapeCases } from './conformance/shapes.ts';
import { sparedCases } from './conformance/spared.ts';
import { structureCases, structureClaimCases } from './conformance/structure.ts';
import { writeCases } from './conformance/write.ts';

/**
 * Holds a connector to the contract, against its real system. A connector's test is a few lines:
 *
 * ```ts
 * conformance('postgres', {
 *   connector,
 *   start: async () => {
 *     const proxy = await proxyTo(5432);
 *     return {
 *       config: { host: '127.0.0.1', port: proxy.port, … },
 *       nameOf: (plain) => `public.${plain}`,
 *       cut: async () => proxy.cut(),
 *       breakCommit: async (moment) => proxy.cutAt(/commit/i, moment),
 *       connections: async () => proxy.connections(),
 *       outOfOrder: async (stream, early, late) => …,
 *       close: () => proxy.close(),
 *     };
 *   },
 * });
 * ```
 *
 * What applies follows from the manifest: a claimed ability is tried, one that is not claimed has to be refused. Where a
 * hook would be needed to try something and the system has none, the harness says why in `cannot`. A case that has nothing to try is
 * told as skipped.
 */
export function conformance<Config>(name: string, harness: Harness<Config>): void {
  describe(`${name} keeps the contract`, { timeout: harness.patience ?? 300_000 }, () => {
    let system: System<Config>;
    before(async () => {
      system = await harness.start();
    });
    after(() => system?.close?.());
    for (const one of casesFor(harness)) {
      test(one.name, async (t) => {
        const { notes, hasTried } = await runCase(one, harness, system);
        if (!hasTried) t.skip(notes[0] ?? 'the manifest does not claim it, or the shape of the harness rules it out');
        else for (const note of notes) t.diagnostic(note);
      });
    }
  });
}

/** All cases, in the order in which they are best read. */
export function casesFor<Config>({ connector: { manifest } }: Harness<Config>): Case[] {
  const { read, write, differences, digests, ranges, parts, log, applies, structure } = manifest.abilities;
  return [
    ...describeCases,
    ...(read ? [...readCases, ...incrementalCases] : []),
    ...shapeCases,
    ...namingCases,
    ...(write.length > 0 ? [...writeCases, ...checkpointCases, ...noteCases, ...anewCases] : []),
    ...(write.includes('mirror') ? [...mirrorCases, ...sparedCases] : []),
    ...(differences ? differenceCases : []),
    ...(digests ? digestCases : []),
    ...(ranges ? rangeCases : []),
    ...(parts ? partCases : []),
    ...(log ? [...logCases, ...milestoneCases, ...logFaultCases] : []),
    ...(applies ? applyCases : []),
    ...structureClaimCases,
    ...(structure === undefined ? [] : structureCases),
    ...faultCases,
  ];
}

interface CaseOutcome {
  /** On what could not be tried. */
  notes: readonly string[];
  /** False where there was nothing to try. */
  hasTried: boolean;
}

/** Runs one case and lets go of what it used. */
export async function runCase<Config>(one: Case, harness: Harness<Config>, system: System<Config>): Promise<CaseOutcome> {
  // Inside, nobody looks into a configuration.
  const kit = new Kit(harness as unknown as Harness, system as unknown as System);
  try {
    await one.run(kit);
    return { notes: kit.notes, hasTried: kit.hasTried || one.isOfManifest === true };
  } finally {
    await kit.close();
  }
}
