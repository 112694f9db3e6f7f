-- The names of the code are those of the log. What an older version wrote stands beside it, word for word:
-- checksum, chain and seal are of that, and are what they were.
drop trigger record_is_never_changed;  -- until the records have their names
alter table episode rename column why to reason;
alter table episode add column recorded_as text not null default 'episode';  -- else what is none: a draft, a search
alter table record add column written text;  -- "kind|body" as an older version wrote them; null: as they are
alter table record drop column turn;
alter table record add column turn integer generated always as (coalesce(
    body ->> '$.turn', body ->> '$.proposal.turn', body ->> '$.change.turn'
)) virtual;
