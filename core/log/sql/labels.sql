-- What a reviewer says, afterwards, about a model's answer. Kept apart from what happened; the latest counts.
create table label (
    id integer primary key,
    record integer not null references record(id),  -- an Answered
    place integer not null,      -- of the answer in it, from 0
    verdict text not null,       -- of the atom: yes, no, unknown
    by text not null,
    blind integer not null,      -- 1: given before the reviewer saw what model and operator said
    wall real not null           -- Unix time
);
create index label_record on label(record, place);
