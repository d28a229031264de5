import { after, before } from 'node:test';
import { setClock } from '../../../src/connectors/airbyte/interpolation/macros.ts';

/** What the templates of the tests may ask for. */
export const templateContext = {
  config: {
    s: 'Hello World',
    n: 7,
    neg: -3,
    f: 2.5,
    b: true,
    none: null,
    date: '2024-01-31',
    dt: '2024-01-31T10:20:30.5+02:00',
    l: [3, 1, 2],
    ls: ['b', 'A', 'c', 'b'],
    d: { b: 2, a: 1 },
    ld: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2 },
      { n: 'x', v: 3 },
    ],
    e: '',
    el: [],
    ed: {},
    u: 'é😀ß',
    num: '42',
    fl: '3.7',
    csv: 'a, b,c',
    html: '<a href="x">&\'</a>',
    items: 'field',
    nested: { items: [1, 2], deep: { x: [{ y: 'z' }] } },
  },
  parameters: { p: 'q' },
  stream_slice: { start_time: '2024-01-01', end_time: '2024-02-01' },
};

/** Holds the clock of templates while the tests of a file run. */
export function holdTemplateClock(): void {
  before(() => setClock(() => Date.UTC(2024, 4, 6, 7, 8, 9, 123)));
  after(() => setClock(Date.now));
}
