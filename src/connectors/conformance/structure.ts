import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { Field } from '../contract.ts';
import type { PlainColumn, PlainIndex, PlainReference, PlainStructure, StructuredStream, Structuring } from '../structure.ts';
import type { NewStream } from './harness.ts';
import { batchesOf, type Case, type Kit } from './kit.ts';

/** Of every connector: what is not claimed is not there. */
export const structureClaimCases: readonly Case[] = [
  {
    name: 'a session tells and makes structures where the manifest names a language, and nowhere else',
    run: async (kit) => {
      const { structure } = await kit.session();
      assert.equal(structure !== undefined, kit.abilities.structure !== undefined);
      assert.notEqual(kit.abilities.structure, '');
    },
  },
];

/** What is promised of structures, in the plain words that every system understands. */
export const structureCases: readonly Case[] = [
  {
    name: 'a stream is made with the structure that it is to have, and tells the same again, in its own language and plainly',
    run: async (kit) => {
      const pair = pairOf(kit);
      const told = await make(kit, pair);
      assert.deepEqual(told.flat(), []);
      await assertPair(kit, pair);
      const structure = await structuring(kit);
      const names = [pair.artists.stream.name, kit.named('not_there_at_all')];
      const found = await structure.describe(names);
      assert.deepEqual([...found.keys()], [pair.artists.stream.name], 'what is not there is left out');
      assert.equal(found.get(pair.artists.stream.name)?.language, kit.abilities.structure);
      for (const { stream } of [pair.artists, pair.albums]) await kit.assertContents(stream, stream.rows);
    },
  },
  {
    name: 'a structure is completed by another session than that which has loaded, twice, and by two at the same time',
    run: async (kit) => {
      const pair = pairOf(kit);
      for (const made of [pair.artists, pair.albums]) await load(kit, made);
      const [one, other] = [await structuring(kit), await structuring(kit)];
      for (const { structured } of [pair.artists, pair.albums])
        assert.deepEqual((await Promise.all([one.complete(structured), other.complete(structured)])).flat(), []);
      const both = [pair.artists.structured, pair.albums.structured];
      for (const told of await Promise.all([one.connect(both), other.connect(both)])) assert.deepEqual([...told.values()].flat(), []);
      await assertPair(kit, pair);
      const before = await plainOf(kit, pair.albums);
      assert.deepEqual(await one.complete(pair.albums.structured), [], 'once it is complete, nothing is told any more');
      assert.deepEqual([...(await one.connect(both)).values()].flat(), []);
      assert.deepEqual(await plainOf(kit, pair.albums), before);
    },
  },
  {
    name: 'references to a stream that is not complete wait for it',
    run: async (kit) => {
      const pair = pairOf(kit);
      for (const made of [pair.artists, pair.albums]) await load(kit, made);
      const structure = await structuring(kit);
      const both = [pair.artists.structured, pair.albums.structured];
      assert.deepEqual(await structure.complete(pair.albums.structured), []);
      assert.deepEqual([...(await structure.connect(both)).values()].flat(), []);
      assert.deepEqual(await structure.complete(pair.artists.structured), []);
      assert.deepEqual([...(await structure.connect(both)).values()].flat(), []);
      await assertPair(kit, pair);
    },
  },
  {
    name: 'a stream that was there, or is of another owner, is left as it is',
    run: async (kit) => {
      const { artists } = pairOf(kit);
      const stream = await kit.create({ ...artists.stream, name: kit.name('there') });
      const structure = await structuring(kit);
      const found = async (): Promise<PlainStructure | undefined> => (await structure.describe([stream.name])).get(stream.name)?.plain;
      const before = await found();
      const wanted = { ...artists.structured, stream: stream.name };
      assert.deepEqual(await structure.complete(wanted), []);
      assert.deepEqual([...(await structure.connect([{ ...wanted, described: undefined }])).values()].flat(), []);
      assert.deepEqual(await found(), before);
      await load(kit, artists);
      const made = await plainOf(kit, artists);
      assert.deepEqual(await structure.complete({ ...artists.structured, owner: kit.owner('another') }), []);
      assert.deepEqual(await plainOf(kit, artists), made);
      await kit.assertContents(stream, stream.rows);
    },
  },
  {
    name: 'the next number is moved forward, never back',
    run: async (kit) => {
      const { artists } = pairOf(kit);
      await load(kit, artists);
      const structure = await structuring(kit);
      await structure.complete(artists.structured);
      for (const [next, expected] of [
        ['50', 50n],
        ['10', 50n],
        ['60', 60n],
      ] as const) {
        const plain = { ...artists.plain, columns: artists.plain.columns.map((one) => (one.isNumbered ? { ...one, next } : one)) };
        await structure.connect([withPlain(artists.structured, plain)]);
        const found = (await plainOf(kit, artists)).columns.find(({ name }) => name === 'id')?.next;
        assert.equal(BigInt(found ?? 0), expected, `after ${next}`);
      }
    },
  },
  {
    name: 'what rows are against is told and does not fail, nor does it take any of them',
    run: async (kit) => {
      const pair = pairOf(kit, {
        albums: [
          ['1', '1', 'same'],
          ['2', '99', 'same'],
        ],
      });
      const unique = index('title_once', ['title'], true);
      const told = await make(kit, {
        artists: pair.artists,
        albums: { ...pair.albums, structured: withPlain(pair.albums.structured, { ...pair.albums.plain, indexes: [unique] }) },
      });
      const [, ofAlbums = []] = told;
      assert.equal(ofAlbums.length, 2, ofAlbums.join('\n'));
      assert.match(ofAlbums[0] ?? '', /title/, 'the index that could not be made is named');
      assert.match(ofAlbums[1] ?? '', /foreign key/i, 'the reference that could not be made is named');
      await kit.assertContents(pair.albums.stream, pair.albums.stream.rows);
    },
  },
  {
    name: 'what stays behind is told by its name: other words, columns that are not brought over, streams that are not',
    run: async (kit) => {
      const { albums } = pairOf(kit);
      const plain: PlainStructure = {
        ...albums.plain,
        indexes: [index('of_gone', ['gone'], false)],
        references: [{ ...(albums.plain.references[0] as PlainReference), name: 'to_nowhere', to: 'nowhere' }],
        others: ['The check "length_ok"'],
      };
      const fields = new Map(albums.stream.fields.map(({ name }) => [name, name]));
      await load(kit, albums);
      const structure = await structuring(kit);
      const wanted = withPlain({ ...albums.structured, fields, peers: [] }, plain);
      const told = [...(await structure.complete(wanted)), ...[...(await structure.connect([wanted])).values()].flat()].join('\n');
      for (const what of ['"of_gone"', '"gone"', '"nowhere"', 'The check "length_ok"'])
        assert.ok(told.includes(what), `${what} in: ${told}`);
    },
  },
  {
    name: 'names of indexes that are too long, or that the system takes for one, make no two of them one',
    run: async (kit) => {
      const { artists } = pairOf(kit);
      const long = 'n'.repeat(250);
      const names = [`${long}1`, `${long}2`, 'twice', 'TWICE', 'twice_2', artists.stream.name, null];
      const columns = [['score'], ['label'], ['name'], ['score', 'label'], ['label', 'score'], ['name', 'label'], ['name', 'score']];
      const indexes = names.map((name, at) => index(name, columns[at] ?? [], false));
      const structured = withPlain(artists.structured, { ...artists.plain, indexes });
      await load(kit, { ...artists, structured });
      assert.deepEqual(await (await structuring(kit)).complete(structured), []);
      const made = (await plainOf(kit, artists)).indexes.map((one) => one.columns.map(({ name }) => name).join()).sort();
      assert.deepEqual(made, columns.map((some) => some.join()).sort());
    },
  },
  {
    name: 'while a stream is live its references are left out, and told',
    run: async (kit) => {
      const pair = pairOf(kit);
      const albums = { ...pair.albums, structured: { ...pair.albums.structured, connects: false } };
      await load(kit, pair.artists);
      await load(kit, albums);
      const structure = await structuring(kit);
      await structure.complete(pair.artists.structured);
      assert.match((await structure.complete(albums.structured)).join(), /foreign keys/i);
      await structure.connect([pair.artists.structured, albums.structured]);
      assert.deepEqual((await plainOf(kit, albums)).references, []);
    },
  },
];

/** A stream that is made for its structure. */
interface Made {
  readonly stream: NewStream;
  readonly plain: PlainStructure;
  readonly structured: StructuredStream;
  /** Before the suite makes it its own. */
  readonly owner: string;
}

interface Pair {
  readonly artists: Made;
  readonly albums: Made;
}

const field = (name: string, type: Field['type'], nullable = true): Field => ({ name, type, nullable });

function column(name: string, more: Partial<PlainColumn> = {}): PlainColumn {
  return { name, notNull: false, default: null, isNumbered: false, next: null, maxLength: null, comment: null, ...more };
}

function index(name: string | null, columns: readonly string[], isUnique: boolean): PlainIndex {
  return { name, columns: columns.map((one) => ({ name: one, isDescending: false })), isUnique };
}

/** Two streams, of which one refers to the other, with one of each thing that all systems have. */
function pairOf(kit: Kit, rows: { albums?: readonly Row[] } = {}): Pair {
  const [artists, albums] = [kit.name('artists'), kit.name('albums')];
  const peers = [
    { source: 'artists', stream: artists, fields: null },
    { source: 'albums', stream: albums, fields: null },
  ];
  const made = (source: string, stream: NewStream, plain: PlainStructure): Made => {
    const described = { language: 'conformance', own: null, plain };
    return {
      stream,
      plain,
      owner: stream.name,
      structured: { stream: stream.name, source, owner: kit.owner(stream.name), fields: null, connects: true, peers, described },
    };
  };
  // A whole number that is the key by itself has its next one in some systems, whether that is asked for or not.
  const id = column('id', { notNull: true, isNumbered: true, next: '7' });
  const nothing = { comment: null, key: ['id'], references: [], others: [] };
  return {
    artists: made(
      'artists',
      {
        name: artists,
        fields: [field('id', 'int64', false), field('name', 'text', false), field('score', 'int64'), field('label', 'text')],
        key: ['id'],
        rows: [
          ['1', 'one', '3', null],
          ['2', 'two', null, "it's"],
        ],
      },
      {
        ...nothing,
        columns: [
          id,
          column('name', { notNull: true, maxLength: 40 }),
          column('score', { default: { kind: 'number', text: '5' } }),
          column('label', { default: { kind: 'text', text: 'it\'s \\ "so"' }, maxLength: 60 }),
        ],
        indexes: [index('name_once', ['name'], true), index('by_score', ['score', 'name'], false)],
      },
    ),
    albums: made(
      'albums',
      {
        name: albums,
        fields: [field('id', 'int64', false), field('artist', 'int64', false), field('title', 'text')],
        key: ['id'],
        rows: rows.albums ?? [
          ['1', '1', 'first'],
          ['2', '1', null],
        ],
      },
      {
        ...nothing,
        columns: [id, column('artist', { notNull: true }), column('title', { maxLength: 40 })],
        indexes: [],
        references: [{ name: null, columns: ['artist'], to: 'artists', toColumns: ['id'], onDelete: 'cascade', onUpdate: 'no action' }],
      },
    ),
  };
}

function withPlain(structured: StructuredStream, plain: PlainStructure): StructuredStream {
  return { ...structured, described: { language: 'conformance', own: null, plain } };
}

async function structuring(kit: Kit): Promise<Structuring> {
  const { structure } = await kit.session();
  assert.ok(structure, 'the manifest claims it');
  return structure;
}

async function load(kit: Kit, { stream, structured, owner }: Made): Promise<void> {
  const mode = kit.can('mirror') ? 'mirror' : 'upsert';
  await kit.writeAll(await kit.session(), stream, batchesOf(stream.rows), { mode, owner, create: true, structured });
}

/** All of it, as a run does it. The answer is what was told of each. */
async function make(kit: Kit, { artists, albums }: Pair): Promise<string[][]> {
  for (const made of [artists, albums]) await load(kit, made);
  const structure = await structuring(kit);
  const told: string[][] = [];
  for (const { structured } of [artists, albums]) told.push([...(await structure.complete(structured))]);
  const later = await structure.connect([artists.structured, albums.structured]);
  return [artists, albums].map(({ stream }, at) => [...(told[at] ?? []), ...(later.get(stream.name) ?? [])]);
}

async function plainOf(kit: Kit, { stream: { name } }: Made): Promise<PlainStructure> {
  const found = (await (await structuring(kit)).describe([name])).get(name);
  assert.ok(found, `${name} has a structure`);
  return found.plain;
}

/** That both have what they were to have. Names of indexes are the system's own affair, and so are lengths where it has none. */
async function assertPair(kit: Kit, { artists, albums }: Pair): Promise<void> {
  const [first, second] = [await plainOf(kit, artists), await plainOf(kit, albums)];
  const columnsOf = ({ columns }: PlainStructure): unknown[] =>
    columns.map(({ name, notNull, default: value, isNumbered }) => ({ name, notNull, value, isNumbered }));
  assert.deepEqual(columnsOf(first), columnsOf(artists.plain));
  assert.deepEqual(columnsOf(second), columnsOf(albums.plain));
  assert.deepEqual([first.key, second.key], [['id'], ['id']]);
  assert.equal(first.columns[0]?.next, '7');
  const indexesOf = ({ indexes }: PlainStructure): string[] =>
    indexes.map(({ columns, isUnique }) => `${isUnique ? 'unique ' : ''}${columns.map(({ name }) => name).join()}`).sort();
  assert.deepEqual(indexesOf(first), ['score,name', 'unique name']);
  assert.deepEqual(
    second.references.map(({ columns, to, toColumns, onDelete }) => ({ columns, to, toColumns, onDelete })),
    [{ columns: ['artist'], to: artists.stream.name, toColumns: ['id'], onDelete: 'cascade' }],
  );
}
