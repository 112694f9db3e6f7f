-- A revision has had a reason of its own since November 2026; older records keep their form.
drop view replans;

-- Every plan but an episode's first, with what caused it.
create view replans as
select e.id as episode, r.number, r.turn, r.body ->> '$.accepted' as accepted,
    (select group_concat(iif(c.value ->> '$.positive', '', 'not ') || (c.value ->> '$.predicate') || ' '
        || (select group_concat(value, ' ') from json_each(c.value, '$.args')), '; ')
     from json_each(coalesce(r.body -> '$.revision.reason.literals', r.body -> '$.revision.causes')) c) as causes,
    coalesce(r.body ->> '$.revision.reason.cause', r.body ->> '$.revision.why') as why,
    coalesce(r.body ->> '$.revision.reason.answer.said', r.body ->> '$.revision.answer.said') as said,
    coalesce(r.body ->> '$.revision.reason.answer.source', r.body ->> '$.revision.answer.source') as source,
    r.body ->> '$.revision.new.status' as status,
    json_array_length(r.body, '$.revision.old') as old_steps,
    json_array_length(r.body, '$.revision.new.steps') as new_steps,
    r.body ->> '$.revision.new.engine' as engine, r.body ->> '$.revision.new.seconds' as seconds
from record r join episode e on e.nr = r.episode and e.deleted is null
where r.kind = 'Planned' and r.number > (
    select min(number) from record where kind = 'Planned' and episode = r.episode);
