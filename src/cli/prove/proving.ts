import { setTimeout as pause } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { type Random, randomFrom } from '../../sample/random.ts';
import { VERSION } from '../../version.ts';
import { amount } from '../shown/amounts.ts';
import { ChangingSource } from './changing-source.ts';
import type { KitFindings, SyncFindings } from './findings.ts';
import type { KitEnd } from './kit-end.ts';
import { KIT_TABLES, type KitMode } from './kit-tables.ts';
import { lookAtSync } from './look-at-sync.ts';
import { RunDriver } from './run-driver.ts';
import { launchService, type ServiceProcess } from './service-process.ts';

export interface ProvingOptions {
  readonly source: KitEnd;
  readonly target: KitEnd;
  /** The data directory of the service. */
  readonly dataDir: string;
  /** Where its files may lie. */
  readonly folder: string;
  readonly seed: string;
  readonly rows: number;
  readonly kills: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Tells how far it is. */
  readonly tell: (text: string) => void;
}

/** Of so many kills, one more hits a service that is still starting. */
const STARTS = 6;
const LONGEST_START = 450;
/** In so many lives, one goes on until a run has ended, however slow the machine is: nothing is proven where none ever does. */
const SEES_AN_END = 3;
const PATIENCE = 60_000;
const GLANCE = 50;

/** Keeps synchronizations of all modes busy between two databases of its own, kills the service again and again, and looks what has become of the rows. */
export class Proving {
  readonly #options: ProvingOptions;
  readonly #random: Random;
  readonly #driver: RunDriver;
  readonly #faults: string[] = [];
  #service: ServiceProcess | undefined;
  #changing: ChangingSource | undefined;
  #isLive = false;
  #kills = 0;
  #killsAtStart = 0;

  constructor(options: ProvingOptions) {
    this.#options = options;
    this.#random = randomFrom(`${options.seed} kills`);
    const chance = randomFrom(`${options.seed} runs`);
    this.#driver = new RunDriver(() => chance.next());
    this.#driver.giveUp = options.signal;
    this.#driver.cancelled = 0.05;
  }

  async prove(): Promise<KitFindings> {
    const { source, target, seed, rows, signal, tell } = this.#options;
    const began = Date.now();
    const why = await source.cannotFollow();
    const modes = (Object.keys(KIT_TABLES) as KitMode[]).filter((mode) => mode !== 'cdc' || why === undefined);
    tell(`Making ${amount(modes.length, 'table')} with ${amount(rows, 'row')} each.`);
    this.#isLive = modes.includes('cdc');
    const changing = new ChangingSource(seed, source, modes);
    this.#changing = changing;
    await changing.prepare(rows);
    const service = await this.#start();
    await this.#driver.define(
      service,
      source,
      target,
      modes.map((mode) => ({
        name: mode,
        mode,
        source: source.named(KIT_TABLES[mode]),
        target: target.named(KIT_TABLES[mode]),
        ...((mode === 'incremental' || mode === 'append') && { cursor: 'at' }),
      })),
    );
    changing.start();
    await this.#live();
    tell('The source rests. Each synchronization runs once more, and is looked at.');
    await changing.stop();
    signal.throwIfAborted();
    await this.#driver.finish(this.#running());
    const syncs: SyncFindings[] = [];
    for (const mode of modes) {
      signal.throwIfAborted();
      const looked = { source, target, driver: this.#driver, service: this.#running(), lastId: changing.statements.lastId };
      syncs.push(await lookAtSync(mode, looked, this.#random));
    }
    return this.#findings(began, changing, syncs, why);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#service?.kill();
    await this.#changing?.stop();
  }

  #findings(began: number, changing: ChangingSource, syncs: readonly SyncFindings[], why: string | undefined): KitFindings {
    const { source, target, seed, rows } = this.#options;
    const { found } = this.#driver;
    if (found.differs > 0)
      this.#faults.push(`cdc: while the source changed, ${amount(found.differs, 'verify')} took for a difference what was on its way`);
    if (changing.transactions === 0) this.#faults.push('nothing changed at the source');
    const faults = [...this.#faults, ...syncs.flatMap(({ mode, faults: own }) => own.map((fault) => `${mode}: ${fault}`))];
    return {
      syncline: VERSION,
      node: process.version,
      source: source.title,
      target: target.title,
      seed,
      started_at: new Date(began).toISOString(),
      seconds: Math.round((Date.now() - began) / 100) / 10,
      rows,
      transactions: changing.transactions,
      changes: Object.fromEntries(changing.made),
      kills: this.#kills,
      kills_at_start: this.#killsAtStart,
      live_verifies: { ...found },
      syncs,
      left_out: why === undefined ? [] : [{ mode: 'cdc', why }],
      faults,
      proven: faults.length === 0,
    };
  }

  /** Lets the service live and die as often as it was asked for, and once more live. */
  async #live(): Promise<void> {
    const { kills, seconds, tell } = this.#options;
    const mean = (seconds * 1000) / (kills + 1);
    for (let kill = 1; kill <= kills; kill++) {
      const service = this.#running();
      const busy = this.#driver.run(service, this.#options.signal);
      // A fault of the service is told when the life is over.
      busy.catch(() => {});
      const before = this.#driver.ended;
      if (kill % SEES_AN_END === 0) await this.#until(busy, () => this.#driver.ended > before);
      await this.#while(busy, this.#random.next() * 2 * mean);
      await this.#kill(service);
      await busy;
      if (kill % STARTS === 0) await this.#killAtStart();
      await this.#start();
      tell(
        `Killed ${kill} of ${kills} times; ${amount(this.#driver.ended, 'run')} ended, ${amount(this.#changing?.transactions ?? 0, 'transaction')} at the source.`,
      );
    }
    const enough = new AbortController();
    const last = this.#driver.run(this.#running(), AbortSignal.any([enough.signal, this.#options.signal]));
    last.catch(() => {});
    await this.#while(last, mean);
    // A look at what is live takes as long as what is on its way: longer than the lives before, perhaps.
    if (this.#isLive) await this.#until(last, () => Object.values(this.#driver.found).some((count) => count > 0));
    enough.abort();
    await last;
  }

  async #while(busy: Promise<void>, milliseconds: number): Promise<void> {
    await Promise.race([busy, pause(milliseconds, undefined, { signal: this.#options.signal })]);
  }

  /** Waits until it is so, or the work is over before. */
  async #until(busy: Promise<void>, isSo: () => boolean): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    busy.then(end, end);
    for (const late = Date.now() + PATIENCE; Date.now() < late && !isSo() && !over.signal.aborted; ) await this.#while(busy, GLANCE);
  }

  async #kill(service: ServiceProcess): Promise<void> {
    const { code, signal } = await service.kill();
    this.#options.signal.throwIfAborted();
    if (signal !== 'SIGKILL') throw new Error(`The service ended by itself, with ${signal ?? code}:\n${service.logs()}`);
    this.#kills++;
  }

  async #killAtStart(): Promise<void> {
    const { service } = this.#launch();
    await pause(this.#random.next() * LONGEST_START);
    await this.#kill(service);
    this.#killsAtStart++;
  }

  async #start(): Promise<ServiceProcess> {
    this.#options.signal.throwIfAborted();
    const { service, ready } = this.#launch();
    await ready;
    return service;
  }

  #launch(): ReturnType<typeof launchService> {
    const { dataDir, folder } = this.#options;
    // Nothing of the settings of this machine: it is a service of its own.
    const environment = { SYNCLINE_FILE_ROOTS: folder, TMPDIR: tmpdir(), LOG_LEVEL: 'warn' };
    const launched = launchService({ dataDir, environment });
    this.#service = launched.service;
    return launched;
  }

  #running(): ServiceProcess {
    if (!this.#service) throw new Error('The service was not started.');
    return this.#service;
  }
}
