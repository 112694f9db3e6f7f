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

-- Each model answer that a person has judged, with the last word on it: a reviewer's, else the operator's.
create view judged as
select e.id as episode, r.number, a.key as place, a.value ->> '$.atom[0]' as predicate,
    r.body ->> '$.call.by' as model, a.value ->> '$.verdict' as model_verdict,
    a.value ->> '$.confidence' as confidence,
    ifnull(l.verdict, o.value ->> '$.verdict') as verdict,
    ifnull(l.by, o.value ->> '$.by') as judge, iif(l.id is null, 'operator', 'reviewer') as as_what,
    l.blind as blind, o.value ->> '$.verdict' as operator_verdict
from record r
join episode e on e.nr = r.episode and e.deleted is null
join json_each(r.body, '$.call.answers') a
left join label l on l.id = (select max(id) from label where record = r.id and place = a.key)
left join record reviewed on reviewed.episode = r.episode and reviewed.kind = 'Reviewed'
    and reviewed.number = (select min(number) from record
        where kind in ('Asked', 'Reviewed') and episode = r.episode and number > r.number)
left join json_each(reviewed.body, '$.answers') o
    on o.value -> '$.atom' = a.value -> '$.atom' and o.value ->> '$.source' = 'operator'
where r.kind = 'Answered' and (l.id is not null or o.value is not null);

-- How often each judge and model agree, per predicate; a blind judge's word weighs most.
create view judgement as
select predicate, model, judge, as_what, ifnull(blind, 0) as blind, count(*) as answers,
    sum(model_verdict = verdict) as agreed, round(avg(model_verdict = verdict), 4) as share
from judged where verdict <> 'unknown' group by predicate, model, judge, as_what, ifnull(blind, 0);
