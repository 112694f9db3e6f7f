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

create view answering as  -- what `answer` holds of an episode
select r.id as record, a.key as place, r.episode, a.value ->> '$.atom[0]' as predicate,
    r.body ->> '$.call.by' as model, a.value ->> '$.verdict' as verdict,
    a.value ->> '$.confidence' as confidence,
    iif(o.value ->> '$.source' = 'operator' or o.value ->> '$.verdict' = a.value ->> '$.verdict',
        o.value ->> '$.verdict', null) as operator_verdict,  -- what a stop made unknown nobody looked at
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.by', null) as operator,
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.seconds', null) as operator_seconds,
    iif(f.value ->> '$.holds', 'yes', iif(f.value is null, null, 'no')) as truth, f.value ->> '$.seen' as seen
from record r
join json_each(r.body, '$.call.answers') a
left join record reviewed on reviewed.episode = r.episode and reviewed.kind = 'Reviewed'
    and reviewed.number = (select min(number) from record
        where kind in ('Asked', 'Reviewed') and episode = r.episode and number > r.number)
left join json_each(reviewed.body, '$.answers') o on o.value -> '$.atom' = a.value -> '$.atom'
left join record revealed on revealed.episode = r.episode and revealed.kind = 'Revealed'
    and revealed.number = (select min(number) from record
        where kind in ('Asked', 'Revealed') and episode = r.episode and number > r.number)
left join json_each(revealed.body, '$.facts') f on f.value -> '$.atom' = a.value -> '$.atom'
where r.kind = 'Answered';

-- Per predicate and model: how often it said what, how often a person who looked agreed, and how often it
-- was right about what the simulator knew; who said "unknown" is not counted there.
drop view agreement;
create view agreement as
select predicate, model, count(*) as answers,
    sum(verdict = 'yes') as yes, sum(verdict = 'no') as no, sum(verdict = 'unknown') as unknown,
    sum(operator_verdict is not null) as reviewed,
    sum(operator_verdict = verdict) as agreed,
    round(avg(operator_verdict = verdict), 4) as share,
    sum(truth is not null and verdict <> 'unknown') as known,
    ifnull(sum(truth = verdict), 0) as correct,
    round(avg(iif(verdict = 'unknown', null, truth = verdict)), 4) as correct_share
from answer join episode e on e.nr = answer.episode and e.deleted is null group by predicate, model;

drop view judgement;
drop view judged;

-- Each model answer that somebody has judged, with the last word of each judge: reviewers and the operator.
create view opinions as
select a.record, a.place, l.by as judge, 'reviewer' as as_what, l.blind, l.verdict
from label l join answer a on a.record = l.record and a.place = l.place
where l.id = (select max(id) from label where record = l.record and place = l.place and by = l.by)
union all
select record, place, operator, 'operator', 0, operator_verdict from answer where operator is not null
union all
select record, place, 'simulator', 'truth', 0, truth from answer where truth is not null;

-- Each model answer that a person has judged, with the last word on it: a reviewer's, else the operator's.
create view judged as
select e.id as episode, r.number, a.place, a.predicate, a.model, a.verdict as model_verdict, a.confidence,
    ifnull(l.verdict, a.operator_verdict) as verdict, ifnull(l.by, a.operator) as judge,
    iif(l.id is null, 'operator', 'reviewer') as as_what, l.blind as blind, a.operator_verdict, a.truth
from answer a
join record r on r.id = a.record
join episode e on e.nr = a.episode and e.deleted is null
left join label l on l.id = (select max(id) from label where record = a.record and place = a.place)
where l.id is not null or a.operator is not null;

-- How often each judge and model agree where both say yes or no, per predicate; a blind judge's word weighs
-- most. The simulator is a judge too, and `correct` counts the judge's own words that were so in the simulator.
create view judgement as
select a.predicate, a.model, w.judge, w.as_what, ifnull(w.blind, 0) as blind, count(*) as answers,
    sum(a.verdict = w.verdict) as agreed, round(avg(a.verdict = w.verdict), 4) as share,
    sum(a.truth is not null) as known, ifnull(sum(a.truth = w.verdict), 0) as correct
from opinions w
join answer a on a.record = w.record and a.place = w.place
join episode e on e.nr = a.episode and e.deleted is null
where 'unknown' not in (w.verdict, a.verdict) group by a.predicate, a.model, w.judge, w.as_what, ifnull(w.blind, 0);

insert into answer select answering.* from answering
join episode e on e.nr = answering.episode and e.ended is not null;
