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
