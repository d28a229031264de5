import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { benchesOfTests, streamOf } from '../../test/support/engine-run.ts';

// A small record shop as people keep it in a file, with one of each kind of thing that a table may have.
const SCHEMA = `
  create table [Artist] ([ArtistId] INTEGER PRIMARY KEY NOT NULL, [Name] NVARCHAR(120) COLLATE NOCASE);
  create table "Album"
  (
    -- the key, of which numbers are never given again
    AlbumId INTEGER PRIMARY KEY AUTOINCREMENT,
    Title NVARCHAR(160) NOT NULL DEFAULT 'it''s, (new)' CONSTRAINT short CHECK (length(Title) < 100),
    ArtistId INTEGER NOT NULL REFERENCES artist ON DELETE CASCADE ON UPDATE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    BestTrack INTEGER,
    Price NUMERIC(10,2) DEFAULT 9.99,
    Made DATETIME DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT best FOREIGN KEY (BestTrack) REFERENCES "Track" (Id) ON DELETE SET NULL,
    UNIQUE (Title, ArtistId), CHECK (Price >= 0)
  );
  create table Track (Id INTEGER PRIMARY KEY, AlbumId INTEGER NOT NULL REFERENCES Album (AlbumId), Seconds INTEGER NOT NULL DEFAULT (60 * 3)) STRICT;
  create table PlaylistTrack (PlaylistId INTEGER NOT NULL, TrackId INTEGER NOT NULL, Note TEXT, PRIMARY KEY (PlaylistId, TrackId)) WITHOUT ROWID;
  create index "AlbumArtist" on [Album] ([ArtistId] desc);
  create unique index title_once on Album (lower(Title), ArtistId) where Price > 1;
  create index TrackNote on PlaylistTrack (Note collate nocase);`;

const ROWS = `
  insert into Artist values (1, 'AC/DC'), (2, 'Accept');
  begin;
  pragma defer_foreign_keys = on;
  insert into Album (AlbumId, Title, ArtistId, BestTrack, Made) values (1, 'one', 1, 1, '2009-01-01 00:00:00'), (2, 'two', 2, 2, '2010-01-01 00:00:00'), (9, 'gone', 2, null, null);
  insert into Track (Id, AlbumId) values (1, 1), (2, 2);
  delete from Album where AlbumId = 9;
  commit;
  insert into PlaylistTrack values (1, 1, 'a'), (1, 2, null);`;

// The one with references comes first: at that time there is nothing to refer to.
const STREAMS = [
  streamOf('Album', { key: ['AlbumId'] }),
  streamOf('Track', { key: ['Id'] }),
  streamOf('Artist', { key: ['ArtistId'] }),
  streamOf('PlaylistTrack', { key: ['PlaylistId', 'TrackId'] }),
];

const schemaOf = (database: DatabaseSync): unknown[] =>
  database
    .prepare(`select type, name, tbl_name, sql from sqlite_schema where tbl_name not like '\\_syncline%' escape '\\' order by type, name`)
    .all()
    .map((row) => ({ ...row }));

describe('structure: full between two files of SQLite', () => {
  const bench = benchesOfTests();

  test('makes tables by the statements of the source, with the next number, and later runs follow', async () => {
    const made = bench(STREAMS, SCHEMA + ROWS, { structure: 'full' });
    const outcome = await made.run();
    assert.deepEqual([outcome.status, made.log.filter(({ level }) => level !== 'info')], ['succeeded', []]);
    assert.equal(schemaOf(made.source).length, 9);
    assert.deepEqual(schemaOf(made.target), schemaOf(made.source));
    for (const { source } of STREAMS)
      assert.deepEqual(made.target.prepare(`select * from ${source}`).all(), made.source.prepare(`select * from ${source}`).all(), source);
    const next = `insert into Album (Title, ArtistId) values ('next', 1) returning AlbumId, Price`;
    assert.deepEqual({ ...made.target.prepare(next).get() }, { AlbumId: 10, Price: 9.99 });
    made.target.exec(`delete from Album where Title = 'next'; delete from Album where false`);
    made.source.exec(`update sqlite_sequence set seq = 50 where name = 'Album'; insert into Artist values (3, 'Aerosmith')`);
    assert.equal((await made.run()).status, 'succeeded');
    assert.deepEqual(schemaOf(made.target), schemaOf(made.source));
    assert.equal(made.target.prepare(next).get()?.['AlbumId'], 51);
  });

  test('tells what it leaves out, maps names, and leaves a table that is there as it is', async () => {
    const streams = [
      streamOf('Album', {
        target: 'records',
        key: ['AlbumId'],
        fields: [
          { from: 'AlbumId', to: 'id' },
          { from: 'Title', to: 'the "title"' },
          { from: 'ArtistId', to: 'by' },
          { from: 'BestTrack', to: 'BestTrack' },
        ],
      }),
      streamOf('Artist', { target: 'bands', key: ['ArtistId'] }),
      streamOf('PlaylistTrack', { key: ['PlaylistId', 'TrackId'] }),
      streamOf('twice'),
    ];
    const made = bench(
      streams,
      `${SCHEMA}${ROWS}; create table twice (id integer primary key, n int, double int as (n * 2) stored); insert into twice values (1, 4)`,
      {
        structure: 'full',
      },
    );
    made.target.exec('create table PlaylistTrack (PlaylistId int, TrackId int, Note text, primary key (PlaylistId, TrackId))');
    const outcome = await made.run();
    assert.equal(outcome.status, 'succeeded');
    const [records, bands, list, twice] = outcome.streams.map(({ report }) => report.warnings);
    assert.deepEqual(records, [
      'The foreign key of "BestTrack" is left out: it refers to "Track", which the synchronization does not bring over.',
      'The check CHECK (Price >= 0) is left out: "Price" is not brought over as it is.',
      'The index "title_once" is left out: "Price" is not brought over as it is.',
    ]);
    assert.deepEqual([bands, list], [undefined, undefined]);
    assert.deepEqual(twice, ['The column "double" is computed at the source; here it is a plain one, with what was read.']);
    const sql = (name: string): unknown => made.target.prepare('select sql from sqlite_schema where name = ?').get(name)?.['sql'];
    assert.equal(
      sql('records'),
      `CREATE TABLE "records" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "the ""title""" NVARCHAR(160) NOT NULL DEFAULT 'it''s, (new)' CONSTRAINT short CHECK (length("the ""title""") < 100), "by" INTEGER NOT NULL, "BestTrack" INTEGER, UNIQUE ("the ""title""", "by"), foreign key ("by") references "bands" ("ArtistId") on update no action on delete cascade DEFERRABLE INITIALLY DEFERRED)`,
    );
    assert.equal(sql('AlbumArtist'), 'CREATE INDEX "AlbumArtist" on "records" ("by" desc)');
    assert.equal(sql('TrackNote'), undefined);
    assert.deepEqual(made.rows('twice'), [{ id: 1, n: 4, double: 8 }]);
  });

  test('tells of rows that break a foreign key, with the table, the key and what to do', async () => {
    const made = bench(
      [streamOf('child'), streamOf('parent')],
      `pragma foreign_keys = off; create table parent (id integer primary key); create table child (id integer primary key, p int references parent);
       insert into parent values (1); insert into child values (1, 1), (2, 7), (3, 8)`,
      { structure: 'full' },
    );
    const outcome = await made.run();
    assert.deepEqual(
      [outcome.status, outcome.first.warnings],
      [
        'succeeded',
        [
          'The foreign key of "child" ("p") is broken by 2 rows, which refer to what "parent" does not have. SQLite keeps them; mend them at the source, and run again.',
        ],
      ],
    );
    assert.equal(made.rows('child').length, 3);
  });
});
