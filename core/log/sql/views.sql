-- The usual questions. Every view names an episode by its id; atoms are text, "(inside mug cabinet)".

create view episodes as
select id as episode, datetime(began, 'unixepoch') as began, task, domain,
    settings ->> '$.world' as world, settings ->> '$.robot' as robot,
    settings ->> '$.answerer' as answerer, settings ->> '$.method' as method,
    cast(settings ->> '$.seed' as integer) as seed, settings ->> '$.parent' as parent,
    result, believed_goal, true_goal, turns, steps, failures, replans, calls, questions, overrides,
    contradictions, stops, seconds, cost, why
from episode where deleted is null;

create view records as
select e.id as episode, r.number, strftime('%Y-%m-%d %H:%M:%f', r.wall, 'unixepoch') as at, r.kind, r.turn,
    r.picture, r.body
from record r left join episode e on e.nr = r.episode where e.deleted is null;

-- One row a question: what was asked, what the model said, what a person made of it.
create view questions as
select e.id as episode, e.task, r.number, r.turn, r.body ->> '$.frame' as frame,
    (select '(' || group_concat(value, ' ') || ')' from json_each(a.value, '$.atom')) as atom,
    a.value ->> '$.atom[0]' as predicate,
    q.value ->> '$.purpose' as purpose, q.value ->> '$.text' as text,
    q.value ->> '$.expected' as expected,
    r.body ->> '$.call.by' as model,
    a.value ->> '$.verdict' as model_verdict, a.value ->> '$.said' as model_said,
    a.value ->> '$.confidence' as confidence,
    o.value ->> '$.verdict' as operator_verdict,
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.by', null) as operator,
    o.value ->> '$.seconds' as operator_seconds
from record r
join episode e on e.nr = r.episode and e.deleted is null
join json_each(r.body, '$.call.answers') a
left join record asked on asked.episode = r.episode and asked.number = (
    select max(number) from record where kind = 'Asked' and episode = r.episode and number < r.number)
left join json_each(asked.body, '$.queries') q on q.key = a.key
left join record reviewed on reviewed.episode = r.episode and reviewed.kind = 'Reviewed'
    and reviewed.number = (select min(number) from record
        where kind in ('Asked', 'Reviewed') and episode = r.episode and number > r.number)
left join json_each(reviewed.body, '$.answers') o on o.value -> '$.atom' = a.value -> '$.atom'
where r.kind = 'Answered';

-- Where a person's word differs from the model's, and what a person set of his own accord.
create view overrides as
select episode, number, turn, atom, predicate, 'answer' as how, model, model_verdict,
    operator_verdict, operator
from questions where operator_verdict is not null and operator_verdict <> model_verdict
union all
select e.id, r.number, r.turn,
    (select '(' || group_concat(value, ' ') || ')' from json_each(a.value, '$.atom')),
    a.value ->> '$.atom[0]', 'correction', null, null,
    a.value ->> '$.verdict', r.body ->> '$.decision.by'
from record r
join episode e on e.nr = r.episode and e.deleted is null
join json_each(r.body, '$.decision.answers') a
where r.kind = 'Decided' and r.body ->> '$.decision.kind' = 'Correct';

-- Every plan but an episode's first, with what caused it.
create view replans as
select e.id as episode, r.number, r.turn, r.body ->> '$.accepted' as accepted,
    (select group_concat(iif(c.value ->> '$.positive', '', 'not ') || (c.value ->> '$.predicate') || ' '
        || (select group_concat(value, ' ') from json_each(c.value, '$.args')), '; ')
     from json_each(r.body, '$.revision.causes') c) as causes,
    r.body ->> '$.revision.why' as why,
    r.body ->> '$.revision.answer.said' as said, r.body ->> '$.revision.answer.source' as source,
    r.body ->> '$.revision.new.status' as status,
    json_array_length(r.body, '$.revision.old') as old_steps,
    json_array_length(r.body, '$.revision.new.steps') as new_steps,
    r.body ->> '$.revision.new.engine' as engine, r.body ->> '$.revision.new.seconds' as seconds
from record r join episode e on e.nr = r.episode and e.deleted is null
where r.kind = 'Planned' and r.number > (
    select min(number) from record where kind = 'Planned' and episode = r.episode);

-- Stops, with standstill as measured (seconds after the request, m/s).
create view stops as
select e.id as episode, r.number, strftime('%Y-%m-%d %H:%M:%f', r.wall, 'unixepoch') as at,
    r.body ->> '$.number' as stop, r.body ->> '$.why' as why, r.body ->> '$.by' as by,
    m.body ->> '$.seconds' as seconds, m.body ->> '$.speed' as speed
from record r
left join episode e on e.nr = r.episode
left join record m on m.kind = 'StopMeasured' and m.episode is r.episode and m.number = (
    select min(number) from record where kind = 'StopMeasured' and episode is r.episode
        and number > r.number and body ->> '$.number' = r.body ->> '$.number')
where r.kind = 'StopRequested' and e.deleted is null;

create view costs as
select e.id as episode, e.task, r.body ->> '$.call.by' as model, r.body ->> '$.call.prompt' as prompt,
    count(*) as calls, sum(json_array_length(r.body, '$.call.answers')) as questions,
    sum(r.body ->> '$.call.tokens') as tokens, sum(r.body ->> '$.call.seconds') as seconds,
    sum(r.body ->> '$.call.cost') as cost
from record r join episode e on e.nr = r.episode and e.deleted is null
where r.kind = 'Answered' group by e.nr, model, prompt;

-- Per predicate and model: how often it said what, and how often a person who looked agreed.
create view agreement as
select predicate, model, count(*) as answers,
    sum(model_verdict = 'yes') as yes, sum(model_verdict = 'no') as no,
    sum(model_verdict = 'unknown') as unknown,
    sum(operator_verdict is not null) as reviewed,
    sum(operator_verdict = model_verdict) as agreed,
    round(avg(iif(operator_verdict is null, null, operator_verdict = model_verdict)), 4) as share
from questions group by predicate, model;
