-- What a method asked a model of its own accord counts as the answerer's calls do.
drop view costs;

create view costs as  -- `prompt` is the purpose where it was the method that asked
with call as (
    select episode, body ->> '$.call.by' as model, body ->> '$.call.prompt' as prompt,
        json_array_length(body, '$.call.answers') as questions, body ->> '$.call.tokens' as tokens,
        body ->> '$.call.seconds' as seconds, body ->> '$.call.cost' as cost
    from record where kind = 'Answered'
    union all
    select episode, body ->> '$.by', body ->> '$.purpose', 0, body ->> '$.tokens', body ->> '$.seconds',
        body ->> '$.cost'
    from record where kind = 'Consulted' and body ->> '$.by' <> '')
select e.id as episode, e.task, c.model, c.prompt, count(*) as calls, sum(c.questions) as questions,
    sum(c.tokens) as tokens, sum(c.seconds) as seconds, sum(c.cost) as cost
from call c join episode e on e.nr = c.episode and e.deleted is null
group by e.nr, c.model, c.prompt;
