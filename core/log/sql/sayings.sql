-- What the simulator knew is neither said nor done: it is not searched for.
drop view sayings;
create view sayings as  -- what `word` holds of a record
select r.id, r.episode,
    (select group_concat(value, ' ') from json_tree(r.body) where type = 'text') as text
from record r where r.kind not in ('Observed', 'Sensed', 'Believed', 'Acting', 'Revealed');
