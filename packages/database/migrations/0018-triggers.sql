-- Schedules of jobs start executions.

-- One row for each trigger of type cron, written with its job.
create table cron_triggers (
  resource_uid uuid not null references resources on delete cascade,
  trigger_id text not null,
  workspace_id uuid not null,
  schedule text not null,
  -- False where the trigger or its job is disabled.
  is_enabled boolean not null,
  -- When the next tick is due. Null while disabled, and until the first run for a trigger from before this migration.
  next_at timestamptz(3),
  -- Time of the newest tick that was handled.
  last_at timestamptz(3),
  primary key (resource_uid, trigger_id)
);
create index cron_triggers_due on cron_triggers (next_at) where is_enabled;

insert into cron_triggers (resource_uid, trigger_id, workspace_id, schedule, is_enabled)
select uid, trigger ->> 'id', workspace_id, trigger #>> '{configuration,schedule}',
  coalesce((spec ->> 'enabled')::boolean, true) and coalesce((trigger ->> 'enabled')::boolean, true)
from resources
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(spec -> 'triggers') = 'array' then spec -> 'triggers' else '[]' end) as trigger
where kind = 'job' and trigger ->> 'type' = 'cron' and trigger ->> 'id' is not null
  and trigger #>> '{configuration,schedule}' is not null
on conflict do nothing;

-- What started the execution: id and type of the trigger, and its callback with the sealed secret. Null for a start
-- through the API.
alter table executions add column trigger jsonb;
