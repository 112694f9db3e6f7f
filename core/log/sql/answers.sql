-- Each answer of a model in ended episodes, one row each, worked out from the records when the episode ends:
-- what statistics over many episodes read. The records stay what counts.
create table answer (
    record integer not null references record(id),  -- an Answered
    place integer not null,      -- of the answer in it, from 0
    episode integer not null references episode(nr),
    predicate text not null,
    model text not null,
    verdict text not null,       -- of the atom: yes, no, unknown
    confidence real,
    operator_verdict text,       -- what a person who looked let count; null: nobody looked
    operator text,               -- who set it himself; null: it was let stand
    operator_seconds real,
    truth text,                  -- yes, no: as the simulator knew; null: no simulator, or an older version
    seen integer,                -- 1: the picture could show it
    primary key (record, place)
) without rowid;
create index answer_episode on answer(episode);
create index answer_told on answer(predicate, model, verdict, operator_verdict, truth);
