-- Sandboxes: made ahead of their owners, changed in place, asleep or awake, ended by the clock.

-- One that waits for an owner has neither workspace nor resource, and belongs to a pool.
alter table instances alter column workspace_id drop not null;
alter table instances alter column resource_uid drop not null;
alter table instances add column pool text;
-- Of the spec: grows whenever it changes. The runner says which one it has applied.
alter table instances add column generation integer not null default 1;
alter table instances add column applied_generation integer not null default 0;
alter table instances add column awake boolean not null default true;
alter table instances add column used_at timestamptz(3);
alter table instances add column is_expired boolean not null default false;
alter table instances add constraint instances_owned check ((resource_uid is null) = (pool is not null)) not valid;
alter table instances validate constraint instances_owned;
create index instances_waiting on instances (runner_id, pool, created_at) where pool is not null and ended_at is null;

-- What the runner's operator wants kept ready, as its present stream said.
alter table runners add column warm jsonb not null default '[]';
alter table runners add column warm_lately integer not null default 0;
alter table runners add column is_pressed boolean not null default false;

-- When a rule ends it, whatever happens until then; null when none does. Shown as over from that moment on.
alter table resources add column expires_at timestamptz(3);
create index resources_expiring on resources (expires_at) where expires_at is not null and terminated_at is null;
