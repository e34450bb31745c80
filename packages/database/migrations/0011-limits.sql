-- Limits of an account on what runs and on what is stored, so that one tenant cannot take everything.

-- The account is written down beside the workspace: a container outlives its workspace, and counts until its runner has removed
-- it. Here and not in whoever writes the row: they are several, and none may forget.
create function set_account_of_workspace() returns trigger language plpgsql as $$
begin
  select account_id into new.account_id from workspaces where id = new.workspace_id;
  return new;
end $$;

alter table instances add column account_id uuid;
create trigger instance_owned before insert or update of workspace_id on instances for each row
  when (new.workspace_id is not null) execute function set_account_of_workspace();
update instances set account_id = workspaces.account_id from workspaces
  where workspaces.id = instances.workspace_id and instances.ended_at is null;
create index instances_of_account on instances (account_id) include (reserved_mb) where ended_at is null;

-- What an execution takes of its account's limit. Those from before take nothing.
alter table executions add column account_id uuid;
alter table executions add column bytes bigint not null default 0;
create trigger execution_owned before insert on executions for each row execute function set_account_of_workspace();
create index executions_completed on executions (completed_at) where completed_at is not null;

-- Executions go with their job, with their workspace and by age; each gives back what it took.
create function give_back_execution_bytes() returns trigger language plpgsql as $$
begin
  update quota_usage set used = greatest(0, used - freed.bytes)
  from (select account_id, sum(bytes)::bigint as bytes from gone where account_id is not null group by account_id) as freed
  where quota_usage.account_id = freed.account_id and quota_usage.resource_type = 'execution_bytes';
  return null;
end $$;
create trigger executions_removed after delete on executions referencing old table as gone
  for each statement execute function give_back_execution_bytes();

-- Kinds that had no limit so far are counted from now on.
insert into quota_usage (account_id, resource_type, used)
select workspaces.account_id, limited.resource_type, sum(resource_counts.live)
from resource_counts
join workspaces on workspaces.id = resource_counts.workspace_id
join (values ('application', 'applications'), ('drive', 'drives'), ('egressgateway', 'egress_gateways'),
  ('egressip', 'egress_ips'), ('image', 'images'), ('vpc', 'vpcs')) as limited(kind, resource_type)
  on limited.kind = resource_counts.kind
group by 1, 2
on conflict (account_id, resource_type) do nothing;

-- Bytes of output that each workspace has written a day. Not bound to the workspace by a key: lines arrive after its end.
create table log_usage (
  workspace_id uuid not null,
  day date not null,
  bytes bigint not null check (bytes >= 0),
  primary key (workspace_id, day)
);
create index log_usage_by_day on log_usage (day);
