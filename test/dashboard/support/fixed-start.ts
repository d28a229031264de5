// For `npm run tour`: this process, its threads and those that it forks begin at the same moment whenever they are started, so that the pictures are the same.
const START = Date.parse('2026-11-18T09:20:00Z');

const began = Number((process.env['TOUR_BEGAN'] ??= String(Date.now())));
const SystemDate = Date;
const shift = START - began;

globalThis.Date = class extends SystemDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(SystemDate.now() + shift);
    else super(...(given as [number]));
  }
  static override now(): number {
    return SystemDate.now() + shift;
  }
} as DateConstructor;
