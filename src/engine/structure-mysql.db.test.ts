import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns, streamOf } from '../../test/support/engine-run.ts';
import { type MysqlDatabase, mysqlDatabase } from '../../test/support/mysql-database.ts';
import type { SyncDefinition } from './definition.ts';

// A small film rental, with one of each kind of thing that a table may have.
const SCHEMA = [
  `create table language (language_id tinyint unsigned not null auto_increment, name char(20) character set latin1 not null, primary key (language_id)) default charset = utf8mb3`,
  `create table film (film_id smallint unsigned not null auto_increment, title varchar(128) not null default 'it''s \\\\, (new)', description text default null comment 'As on the ''cover'', (isn''t it)',
     language_id tinyint unsigned not null, best_actor int default null, rental_rate decimal(4,2) not null default 4.99, length smallint unsigned check (length > 0),
     rating enum('G','PG','R') default 'G', extras set('Trailers','Commentaries'), seen tinyint(1) not null default 0, about json default null, flag bit(1) default b'1', score float default 1.5,
     last_update timestamp not null default current_timestamp() on update current_timestamp(), made datetime(3) default current_timestamp(3), \`key\` int default (1 + 2),
     primary key (film_id), unique key title_once (title, language_id), key idx_title (title(10) desc), key fk_language (language_id), fulltext key idx_text (title, description),
     constraint rate_ok check (rental_rate >= 0 and title <> ''),
     constraint film_language foreign key (language_id) references language (language_id) on update cascade) comment = 'What is ''rented''' collate = utf8mb4_general_ci`,
  `create table actor (actor_id int not null, film_id smallint unsigned default null, n int not null auto_increment, primary key (actor_id), key by_number (n), key fk_film (film_id),
     constraint actor_film foreign key (film_id) references film (film_id) on delete set null)`,
  `alter table film add key fk_actor (best_actor), add constraint film_actor foreign key (best_actor) references actor (actor_id)`,
];
const ROWS = [
  `insert into language values (1, 'English'), (2, 'Français'), (40, 'gone')`,
  `delete from language where language_id = 40`,
  `insert into film (title, language_id, about, extras, last_update, made) select concat('film ', seq), 1 + seq % 2, '{"a": 1}', 'Trailers,Commentaries', '2020-01-01 00:00:00', '2020-01-01 00:00:00.123' from seq_1_to_50`,
  `insert into actor (actor_id, film_id) select seq, seq from seq_1_to_20`,
  `update film set best_actor = film_id, last_update = '2020-01-02 00:00:00' where film_id <= 20`,
];
const STREAMS = [
  streamOf('film', { key: ['film_id'] }),
  streamOf('actor', { key: ['actor_id'] }),
  streamOf('language', { key: ['language_id'] }),
];

let source: MysqlDatabase;
before(async () => {
  source = await mysqlDatabase();
  for (const statement of [...SCHEMA, ...ROWS]) await source.query(statement);
});
after(() => source.close());

function orderInto(target: MysqlDatabase, streams: SyncDefinition['streams'] = STREAMS) {
  const end = ({ host, port, user, password, name }: MysqlDatabase, id: string) => ({
    id,
    name: id,
    type: 'mysql',
    config: { host, port, user, password, database: name, tls: 'prefer' },
  });
  return { definition: definitionOf(streams, { structure: 'full' }), ends: { source: end(source, 'rental'), target: end(target, 'copy') } };
}

const dump = ['mariadb-dump', 'mysqldump'].find((program) => spawnSync(program, ['--version']).status === 0);

/** The schema as the server's own program writes it, or as the server tells it where there is no such program. */
async function schemaOf(database: MysqlDatabase): Promise<string> {
  const { host, port, user, password, name } = database;
  if (dump) {
    const account = [`--host=${host}`, `--port=${port}`, `--user=${user}`];
    const options = ['--no-data', '--skip-comments', '--skip-dump-date', `--ignore-table=${name}._syncline_checkpoints`];
    return execFileSync(dump, [...account, ...options, name], { encoding: 'utf8', env: { ...process.env, MYSQL_PWD: password } });
  }
  const tables = await database.query(`show full tables where table_type = 'BASE TABLE'`);
  const told = tables
    .filter(([table]) => !table?.startsWith('_syncline'))
    .map(async ([table]) => (await database.query(`show create table \`${table}\``))[0]?.[1]);
  return (await Promise.all(told)).join('\n');
}

async function withTarget(work: (target: MysqlDatabase) => Promise<void>): Promise<void> {
  const target = await mysqlDatabase();
  try {
    await work(target);
  } finally {
    await target.close();
  }
}

describe('structure: full between two databases of MySQL or MariaDB', () => {
  test('makes tables that are those of the source, with the next numbers, and follows later runs', () =>
    withTarget(async (target) => {
      const runs = engineRuns(orderInto(target));
      const first = await runs.run();
      assert.deepEqual([first.status, runs.log.filter(({ level }) => level !== 'info')], ['succeeded', []]);
      const schema = await schemaOf(source);
      assert.equal(schema.match(/FOREIGN KEY/g)?.length, 3);
      assert.equal(await schemaOf(target), schema);
      for (const { source: table } of STREAMS)
        assert.deepEqual(await target.query(`select * from ${table}`), await source.query(`select * from ${table}`));
      assert.equal((await runs.run()).status, 'succeeded');
      assert.equal(await schemaOf(target), schema);
      await target.query(`insert into language (name) values ('next')`);
      assert.deepEqual(await target.query(`select language_id from language where name = 'next'`), [['41']]);
    }));

  test('tells what it leaves out, maps names, and leaves a table that is there as it is', () =>
    withTarget(async (target) => {
      await target.query(`create table language (language_id int primary key, name text) comment = 'mine'`);
      const streams = [
        streamOf('film', {
          target: 'mo`vies',
          key: ['film_id'],
          fields: ['film_id', 'description', 'length', 'language_id', 'rental_rate'].map((from) => ({
            from,
            to: from === 'film_id' ? 'the `id`' : from,
          })),
        }),
        streamOf('actor', { key: ['actor_id'] }),
        streamOf('language', { key: ['language_id'] }),
        streamOf('double'),
      ];
      await source.query('create table `double` (id int primary key, n int, twice int generated always as (n * 2) stored) engine = MyISAM');
      await source.query('insert into `double` (id, n) values (1, 4)');
      const outcome = await engineRuns(orderInto(target, streams)).run();
      await source.query('drop table `double`');
      assert.equal(outcome.status, 'succeeded');
      const [movies, actor, language, double] = outcome.streams.map(({ report }) => report.warnings);
      assert.deepEqual(movies?.slice(0, 3), [
        'The index "fk_actor" is left out: "best_actor" is not brought over as it is.',
        'The index "idx_title" is left out: "title" is not brought over as it is.',
        'The unique index "title_once" is left out: "title" is not brought over as it is.',
      ]);
      assert.match(
        movies?.join('\n') ?? '',
        /The foreign key "film_actor" is left out: not all of its columns are brought over as they are\./,
      );
      assert.match(movies?.join('\n') ?? '', /The index "idx_text" is left out: "title" is not brought over as it is\./);
      assert.match(movies?.join('\n') ?? '', /The check "rate_ok" is left out: "title" is not brought over as it is\./);
      assert.match(movies?.join('\n') ?? '', /The foreign key "film_language" of "mo`vies" to "language" could not be made: /);
      assert.deepEqual([actor, language], [undefined, undefined]);
      assert.deepEqual(double, [
        'The column "twice" is computed at the source; here it is a plain one, with what was read.',
        'The engine MyISAM is left out: rows and position are written together, which InnoDB can.',
      ]);
      const [made] = await target.query('show create table `mo``vies`');
      assert.match(
        made?.[1] ?? '',
        /`the ``id``` smallint\(5\) unsigned NOT NULL AUTO_INCREMENT,[\s\S]*KEY `fk_language` \(`language_id`\)[\s\S]*COMMENT='What is ''rented'''/,
      );
      assert.match((await target.query('show create table language'))[0]?.[1] ?? '', /COMMENT='mine'/);
    }));
});
