-- Live video of an episode, some seconds a row. The video lies beside the database, named by its hash.
create table segment (
    id integer primary key,
    episode integer not null references episode(nr),
    camera text not null,
    started real not null,       -- of the recorder's clock, as record.monotonic
    ended real not null,
    hash text not null,          -- SHA-256 of the file, in hex
    bytes integer not null,
    dropped integer not null     -- pictures that a busy machine left out
);
create index segment_episode on segment(episode, camera, started);
create index segment_hash on segment(hash);
