-- One row an episode. What is known only at its end stays null until then; the counts are worked out
-- from the records, once, when it ends.
create table episode (
    nr integer primary key,
    id text not null unique,
    writer text not null,        -- who writes it: a live writer holds the lock of that name
    began real not null,         -- Unix time
    task text not null,
    domain text not null,
    settings text not null,      -- JSON, as in Started
    ended real,                  -- Unix time; null: being written, or broken off and not yet repaired
    result text,
    why text,
    believed_goal integer,
    true_goal integer,           -- null: no simulator judged it
    turns integer, steps integer, failures integer, replans integer, calls integer, questions integer,
    overrides integer, contradictions integer, stops integer, seconds real, cost real,
    deleted real                 -- Unix time; hidden since then, gone when the log is closed
);
create index episode_began on episode(began);
create index episode_open on episode(writer) where ended is null;

-- The very bytes that a model got, once each. `bytes` is null for a large one: it lies beside the
-- database, in the folder named after it.
create table picture (
    id text primary key,         -- SHA-256 of the bytes, in hex
    size integer not null,
    bytes blob
);

-- What happened, one row an event, never changed.
create table record (
    id integer primary key,
    episode integer references episode(nr),  -- null: outside of any episode
    number integer not null,     -- place in the episode, from 1
    wall real not null,          -- Unix time, as the clock stood
    monotonic real not null,     -- seconds of the recorder's own clock, which never jumps
    kind text not null,          -- the event's class
    body text not null,          -- JSON: the event's fields
    crc integer not null,        -- CRC-32 of "number|wall|monotonic|kind|body", to find damage
    picture text references picture(id),
    turn integer generated always as (coalesce(
        body ->> '$.turn', body ->> '$.proposal.turn', body ->> '$.revision.turn'
    )) virtual
);
create unique index record_place on record(episode, number);
create index record_kind on record(kind, episode, number);
create index record_picture on record(picture) where picture is not null;

create trigger record_is_never_changed before update on record begin
    select raise(abort, 'records are never changed');
end;
create trigger record_goes_only_with_its_episode before delete on record
when not exists (select 1 from episode where nr = old.episode and deleted is not null) begin
    select raise(abort, 'records go only with their whole episode');
end;
