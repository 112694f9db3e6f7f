-- What was learnt about a domain, change by change, and the sentences about what was unusual.
create view knowledge as
select e.id as episode, e.domain, r.number, r.turn, c.value ->> '$.change.kind' as kind,
    c.value -> '$.change' as change, c.value ->> '$.evidence[0].situation' as situation,
    c.value ->> '$.evidence[0].prompt' as prompt, c.value ->> '$.evidence[0].raw_reply' as said,
    r.body ->> '$.accepted' as accepted
from record r join episode e on e.nr = r.episode and e.deleted is null, json_each(r.body, '$.knowledge') c
where r.kind = 'DomainChanged';

create view situations as
select e.id as episode, r.number, r.turn, r.body ->> '$.situation.sentence' as sentence,
    r.body ->> '$.situation.by' as told_by, r.body ->> '$.situation.fault' as fault
from record r join episode e on e.nr = r.episode and e.deleted is null
where r.kind = 'SituationNoticed';
