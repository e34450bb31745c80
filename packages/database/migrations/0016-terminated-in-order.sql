-- The listing of what is over and still shown reads it in order beside what lives, instead of all of it.
create index resources_terminated_age on resources (workspace_id, kind, parent_uid, created_at, uid) where terminated_at is not null;
