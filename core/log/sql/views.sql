-- The usual questions. Every view but `taken_back`, `corrections` and the last two names an episode by its id; atoms
-- are "(inside mug cabinet)".
-- After a change here, a new step of the schema has to make the views anew.

-- What lists and counts are about: neither what was deleted, nor what is no episode.
create view shown as select * from episode where deleted is null and recorded_as = 'episode';

create view episodes as
select id as episode, datetime(began, 'unixepoch') as began, task, domain,
    settings ->> '$.world' as world, settings ->> '$.robot' as robot,
    settings ->> '$.answerer' as answerer, settings ->> '$.method' as method,
    cast(settings ->> '$.seed' as integer) as seed, settings ->> '$.parent' as parent,
    result, believed_goal, true_goal, turns, steps, failures, replans, calls, questions, overrides,
    contradictions, stops, seconds, cost, reason
from shown;

-- Also of what is no episode.
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
    a.value ->> '$.verdict' as model_verdict, a.value ->> '$.raw_reply' as raw_reply,
    a.value ->> '$.confidence' as confidence,
    o.value ->> '$.verdict' as operator_verdict,
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.by', null) as operator,
    o.value ->> '$.seconds' as operator_seconds
from record r
join shown e on e.nr = r.episode
join json_each(r.body, '$.call.answers') a
left join record asked on asked.episode = r.episode and asked.number = (
    select max(number) from record
    where kind = 'QuestionsAsked' and episode = r.episode and number < r.number)
left join json_each(asked.body, '$.queries') q on q.key = a.key
left join record reviewed on reviewed.episode = r.episode and reviewed.kind = 'AnswersReviewed'
    and reviewed.number = (select min(number) from record
        where kind in ('QuestionsAsked', 'AnswersReviewed') and episode = r.episode and number > r.number)
left join json_each(reviewed.body, '$.answers') o on o.value -> '$.atom' = a.value -> '$.atom'
    and not (o.value ->> '$.source' = 'operator' and exists (
        select 1 from taken_back t where t.episode = r.episode and t.turn = r.turn and t.number > reviewed.number
            and t.atom = a.value -> '$.atom' and t.verdict = o.value ->> '$.verdict'))
where r.kind = 'AnswersReceived';

-- What a person set and then took back, before the robot moved: it counts nowhere. An older version did not say
-- what: then it is the last correction.
create view taken_back as
select r.episode, r.number, r.turn, a.value -> '$.atom' as atom, a.value ->> '$.verdict' as verdict
from record r, json_each(coalesce(r.body -> '$.decision.answers', (
    select c.body -> '$.decision.answers' from record c
    where c.kind = 'DecisionMade' and c.episode = r.episode and c.number < r.number and c.turn = r.turn
        and c.body ->> '$.decision.kind' = 'Correct' order by c.number desc limit 1), '[]')) a
where r.kind = 'DecisionMade' and r.body ->> '$.decision.kind' = 'Undo';

-- What people set of their own accord, and did not take back.
create view corrections as
select r.episode, r.id, r.number, r.turn, a.value -> '$.atom' as atom,
    a.value ->> '$.verdict' as verdict, a.value ->> '$.frame' as frame, r.body ->> '$.decision.by' as by
from record r join json_each(r.body, '$.decision.answers') a
where r.kind = 'DecisionMade' and r.body ->> '$.decision.kind' = 'Correct'
    and not exists (select 1 from taken_back t where t.episode = r.episode and t.turn = r.turn
        and t.number > r.number and t.atom = a.value -> '$.atom' and t.verdict = a.value ->> '$.verdict');

-- Where a person's word differs from the model's, and what a person set of his own accord, with the model's
-- answer about the same picture if there is one.
create view overrides as
select episode, number, turn, atom, predicate, 'answer' as how, model, model_verdict,
    operator_verdict, operator
from questions where operator_verdict is not null and operator_verdict <> model_verdict
union all
select e.id, c.number, c.turn, (select '(' || group_concat(value, ' ') || ')' from json_each(c.atom)),
    c.atom ->> '$[0]', 'correction', said.body ->> '$.call.by', s.value ->> '$.verdict', c.verdict, c.by
from corrections c
join shown e on e.nr = c.episode
left join record said on said.episode = c.episode and said.number = (
    select max(x.number) from record x join json_each(x.body, '$.call.answers') y
    where x.kind = 'AnswersReceived' and x.episode = c.episode and x.number < c.number
        and iif(c.frame = '', x.turn = c.turn, x.body ->> '$.frame' = c.frame)
        and y.value -> '$.atom' = c.atom)
left join json_each(said.body, '$.call.answers') s on s.value -> '$.atom' = c.atom;

-- Every plan but an episode's first, with what caused it.
create view replans as
select e.id as episode, r.number, r.turn, r.body ->> '$.accepted' as accepted,
    (select group_concat(iif(c.value ->> '$.positive', '', 'not ') || (c.value ->> '$.predicate') || ' '
        || (select group_concat(value, ' ') from json_each(c.value, '$.args')), '; ')
     from json_each(r.body, '$.change.reason.literals') c) as literals,
    r.body ->> '$.change.reason.cause' as cause,
    r.body ->> '$.change.reason.answer.raw_reply' as raw_reply,
    r.body ->> '$.change.reason.answer.source' as source,
    r.body ->> '$.change.new_plan.status' as status,
    json_array_length(r.body, '$.change.old_steps') as old_steps,
    json_array_length(r.body, '$.change.new_plan.steps') as new_steps,
    r.body ->> '$.change.new_plan.engine' as engine, r.body ->> '$.change.new_plan.seconds' as seconds
from record r join shown e on e.nr = r.episode
where r.kind = 'PlanMade' and r.number > (
    select min(number) from record where kind = 'PlanMade' and episode = r.episode);

-- Stops, with standstill as measured (seconds after the request, m/s).
create view stops as
select e.id as episode, r.number, strftime('%Y-%m-%d %H:%M:%f', r.wall, 'unixepoch') as at,
    r.body ->> '$.number' as stop, r.body ->> '$.reason' as reason, r.body ->> '$.by' as by,
    m.body ->> '$.seconds' as seconds, m.body ->> '$.speed' as speed
from record r
left join episode e on e.nr = r.episode
left join record m on m.kind = 'StandstillMeasured' and m.episode is r.episode and m.number = (
    select min(number) from record where kind = 'StandstillMeasured' and episode is r.episode
        and number > r.number and body ->> '$.number' = r.body ->> '$.number')
where r.kind = 'StopRequested' and e.deleted is null;

-- Also of what is no episode, since that is paid for as well. `prompt` is the purpose where it was the method
-- that asked.
create view costs as
with call as (
    select episode, body ->> '$.call.by' as model, body ->> '$.call.prompt' as prompt,
        json_array_length(body, '$.call.answers') as questions, body ->> '$.call.tokens' as tokens,
        body ->> '$.call.seconds' as seconds, body ->> '$.call.cost' as cost
    from record where kind = 'AnswersReceived'
    union all
    select episode, body ->> '$.by', body ->> '$.purpose', 0, body ->> '$.tokens', body ->> '$.seconds',
        body ->> '$.cost'
    from record where kind = 'ModelConsulted' and body ->> '$.by' <> '')
select e.id as episode, e.recorded_as, e.task, c.model, c.prompt, count(*) as calls, sum(c.questions) as questions,
    sum(c.tokens) as tokens, sum(c.seconds) as seconds, sum(c.cost) as cost
from call c join episode e on e.nr = c.episode and e.deleted is null
group by e.nr, c.model, c.prompt;

-- What was learnt about a domain, change by change, and the sentences about what was unusual.
create view knowledge as
select e.id as episode, e.domain, r.number, r.turn, c.value ->> '$.change.kind' as kind,
    c.value -> '$.change' as change, c.value ->> '$.evidence[0].situation' as situation,
    c.value ->> '$.evidence[0].prompt' as prompt, c.value ->> '$.evidence[0].raw_reply' as raw_reply,
    r.body ->> '$.accepted' as accepted
from record r join shown e on e.nr = r.episode, json_each(r.body, '$.knowledge') c
where r.kind = 'DomainChanged';

create view situations as
select e.id as episode, r.number, r.turn, r.body ->> '$.situation.sentence' as sentence,
    r.body ->> '$.situation.by' as told_by, r.body ->> '$.situation.fault' as fault
from record r join shown e on e.nr = r.episode
where r.kind = 'SituationNoticed';

create view bookmarks as
select e.id as episode, r.number, r.turn, r.body ->> '$.note' as note, r.body ->> '$.by' as by, r.wall
from record r join shown e on e.nr = r.episode where r.kind = 'Bookmarked'
union all
select e.id, n.number, null, n.text, n.by, n.wall
from note n join shown e on e.nr = n.episode where n.number is not null;

-- Per predicate and model: how often it said what, how often a person agreed who looked, then or in a review, and how often it
-- was right about what the simulator knew; who said "unknown" is not counted there.
create view agreement as
select predicate, model, count(*) as answers,
    sum(verdict = 'yes') as yes, sum(verdict = 'no') as no, sum(verdict = 'unknown') as unknown,
    sum(looked is not null) as reviewed, sum(looked = verdict) as agreed,
    round(avg(looked = verdict), 4) as share,
    sum(truth is not null and verdict <> 'unknown') as known,
    ifnull(sum(truth = verdict), 0) as correct,
    round(avg(iif(verdict = 'unknown', null, truth = verdict)), 4) as correct_share
from (select a.*, ifnull(l.said, a.operator_verdict) as looked from answer a left join
    (select record, place, verdict as said, max(id) from label group by record, place) l using (record, place))
join shown e on e.nr = episode group by predicate, model;

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
join shown e on e.nr = a.episode
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
join shown e on e.nr = a.episode
where 'unknown' not in (w.verdict, a.verdict) group by a.predicate, a.model, w.judge, w.as_what, ifnull(w.blind, 0);

-- What `episode` holds of its records, some of it only once it has ended; here also before that.
create view counting as
select e.nr, start.wall as began, start.body ->> '$.recorded_as' as recorded_as, start.body ->> '$.task' as task,
    iif(start.body ->> '$.domain' = 'omnigibson', 'household', start.body ->> '$.domain') as domain,
    start.body ->> '$.settings' as settings,
    finish.wall as ended, finish.body ->> '$.result' as result, finish.body ->> '$.reason' as reason,
    finish.body ->> '$.believed_goal' as believed_goal, finish.body ->> '$.true_goal' as true_goal,
    ifnull((select max(turn) from record where kind = 'FrameCaptured' and episode = e.nr), 0) as turns,
    (select count(*) from record where kind = 'StepFinished' and episode = e.nr) as steps,
    (select count(*) from record where kind = 'StepFinished' and episode = e.nr
        and body ->> '$.result.status' = 'failed') as failures,
    max(0, (select count(*) from record where kind = 'PlanMade' and episode = e.nr
        and body ->> '$.accepted') - 1) as replans,
    (select count(*) from record where episode = e.nr and (kind = 'AnswersReceived'
        or kind = 'ModelConsulted' and body ->> '$.by' <> '')) as calls,
    (select ifnull(sum(json_array_length(body, '$.queries')), 0) from record
        where kind = 'QuestionsAsked' and episode = e.nr) as questions,
    (select count(*) from record reviewed, json_each(reviewed.body, '$.answers') o
        join record answered on answered.episode = e.nr and answered.number = (select max(number) from record
            where kind = 'AnswersReceived' and episode = e.nr and number < reviewed.number)
        join json_each(answered.body, '$.call.answers') a on a.value -> '$.atom' = o.value -> '$.atom'
        where reviewed.kind = 'AnswersReviewed' and reviewed.episode = e.nr
            and a.value ->> '$.verdict' <> o.value ->> '$.verdict')
        + (select ifnull(sum(json_array_length(body, '$.decision.answers')), 0) from record
            where kind = 'DecisionMade' and episode = e.nr and body ->> '$.decision.kind' = 'Correct')
        - (select count(*) from taken_back where episode = e.nr)
        as overrides,
    (select ifnull(sum(json_array_length(body, '$.contradictions')), 0) from record
        where kind = 'BeliefChanged' and episode = e.nr) as contradictions,
    (select count(*) from record where kind = 'StopRequested' and episode = e.nr) as stops,
    (select max(monotonic) - min(monotonic) from record where episode = e.nr) as seconds,
    (select sum(coalesce(body ->> '$.call.cost', body ->> '$.cost')) from record
        where kind in ('AnswersReceived', 'ModelConsulted') and episode = e.nr) as cost
from episode e
left join record start on start.episode = e.nr and start.kind = 'EpisodeStarted'
left join record finish on finish.id = (
    select min(id) from record where kind = 'EpisodeEnded' and episode = e.nr);

create view answering as  -- what `answer` holds of an episode
select r.id as record, a.key as place, r.episode, a.value ->> '$.atom[0]' as predicate,
    r.body ->> '$.call.by' as model, a.value ->> '$.verdict' as verdict,
    a.value ->> '$.confidence' as confidence,
    iif(o.value ->> '$.source' = 'operator' or o.value ->> '$.verdict' = a.value ->> '$.verdict',
        o.value ->> '$.verdict', null) as operator_verdict,  -- what a stop made unknown nobody looked at
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.by', null) as operator,
    iif(o.value ->> '$.source' = 'operator', o.value ->> '$.seconds', null) as operator_seconds,
    iif(f.value ->> '$.holds', 'yes', iif(f.value is null, null, 'no')) as truth,
    f.value ->> '$.is_observable' as seen
from record r
join episode e on e.nr = r.episode and e.recorded_as = 'episode'
join json_each(r.body, '$.call.answers') a
left join record reviewed on reviewed.episode = r.episode and reviewed.kind = 'AnswersReviewed'
    and reviewed.number = (select min(number) from record
        where kind in ('QuestionsAsked', 'AnswersReviewed') and episode = r.episode and number > r.number)
left join json_each(reviewed.body, '$.answers') o on o.value -> '$.atom' = a.value -> '$.atom'
    and not (o.value ->> '$.source' = 'operator' and exists (
        select 1 from taken_back t where t.episode = r.episode and t.turn = r.turn and t.number > reviewed.number
            and t.atom = a.value -> '$.atom' and t.verdict = o.value ->> '$.verdict'))
left join record revealed on revealed.episode = r.episode and revealed.kind = 'GroundTruthRecorded'
    and revealed.number = (select min(number) from record
        where kind in ('QuestionsAsked', 'GroundTruthRecorded') and episode = r.episode
            and number > r.number)
left join json_each(revealed.body, '$.facts') f on f.value -> '$.atom' = a.value -> '$.atom'
where r.kind = 'AnswersReceived';

-- What `word` holds of a record. What the simulator knew is neither said nor done: it is not searched for.
create view sayings as
select r.id, r.episode,
    (select group_concat(value, ' ') from json_tree(r.body) where type = 'text') as text
from record r where r.kind not in (
    'FrameCaptured', 'SensorsRead', 'BeliefChanged', 'StepStarted', 'GroundTruthRecorded');
