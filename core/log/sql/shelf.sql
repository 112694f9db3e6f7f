-- What people put to episodes afterwards. It may change; what happened does not.
create table tag (
    episode integer not null references episode(nr),
    name text not null,
    primary key (episode, name)
) without rowid;

create table note (
    id integer primary key,
    episode integer not null references episode(nr),
    number integer,              -- of the record it is about; null: of the whole episode
    wall real not null,          -- Unix time
    by text not null,
    text text not null
);
create index note_episode on note(episode);

-- Everything said and done, by word. `rowid` is the record's id; the words themselves stand in the record.
create virtual table word using fts5(text, content = '', tokenize = 'unicode61 remove_diacritics 2');
alter table episode add column indexed integer not null default 0;  -- id of its last record in `word`

create view sayings as  -- what `word` holds of a record
select r.id, r.episode,
    (select group_concat(value, ' ') from json_tree(r.body) where type = 'text') as text
from record r where r.kind not in ('Observed', 'Sensed', 'Believed', 'Acting');

create view bookmarks as
select e.id as episode, r.number, r.turn, r.body ->> '$.note' as note, r.body ->> '$.by' as by, r.wall
from record r join episode e on e.nr = r.episode and e.deleted is null where r.kind = 'Bookmarked'
union all
select e.id, n.number, null, n.text, n.by, n.wall
from note n join episode e on e.nr = n.episode and e.deleted is null where n.number is not null;
