-- Each record carries the SHA-256 of the one before it and of itself; the episode's row the last one of them.
alter table record add column chain blob;   -- null: written by a version before this, or outside of any episode
alter table episode add column seal blob;   -- `chain` of its last record, put there when it ended
