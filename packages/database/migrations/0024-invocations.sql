-- Asynchronous calls of agents: a gateway accepts a call as a row, and any gateway performs it. Paths of triggers reach agents and
-- functions too.

-- True where requests are accepted at once and performed afterwards.
alter table trigger_paths add column is_async boolean not null default false;

-- Of resources with the same path the oldest gets it, and those that have one keep it. Paths that are refused today get no row.
insert into trigger_paths (workspace_id, path, resource_uid, trigger_id, is_enabled, is_public, is_async)
select workspace_id, path, uid, trigger ->> 'id', coalesce((trigger ->> 'enabled')::boolean, true),
  coalesce(trigger #>> '{configuration,authenticationType}' = 'public', false), trigger ->> 'type' = 'http-async'
from resources
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(spec -> 'triggers') = 'array' then spec -> 'triggers' else '[]' end) as trigger
cross join lateral regexp_replace(trigger #>> '{configuration,path}', '^/', '') as path
where (kind in ('agent', 'function') and trigger ->> 'type' = 'http' or kind = 'agent' and trigger ->> 'type' = 'http-async')
  and trigger ->> 'id' is not null and length(path) <= 200
  and path ~ '^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+){0,3}$' and path !~ '(^|/)[.][.]?(/|$)'
  and path !~ '^(-|(agents|functions|sandboxes|models|jobs)(/|$))'
order by created_at, uid
on conflict do nothing;

create table invocations (
  id uuid primary key,
  -- Of the caller and the request's Idempotency-Key; null without one.
  message_id text,
  account_id uuid not null,
  workspace_id uuid not null,
  workspace_name text not null,
  -- The agent.
  resource_uid uuid not null,
  resource_name text not null,
  -- Whose settings it has; null for those of the agent's own address.
  trigger_id text,
  -- The caller; null for an anonymous one.
  key_id text,
  subject text,
  -- False where the caller was admitted because the address is public.
  is_by_member boolean not null,
  -- What the agent receives. Headers and body are removed with the end of the call; headers are pairs of name and value.
  method text not null,
  path text not null,
  headers jsonb,
  body bytea,
  body_bytes integer not null,
  -- Settings, as they were when the call was accepted.
  max_runs integer not null check (max_runs >= 1),
  timeout_seconds integer not null,
  -- Address and sealed secret.
  callback jsonb,
  -- `running` is stored before the first byte is sent to the agent.
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed', 'unknown')),
  runs integer not null default 0,
  next_at timestamptz(3) not null default clock_timestamp(),
  -- The process that performs it, as a name that is used for this claim alone, and until when it has to record or to prolong.
  claim_id uuid,
  claimed_until timestamptz(3),
  accepted_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- Of the answer.
  status_code integer,
  response_bytes bigint,
  -- Why there is no answer, or why the call was not performed.
  error text,
  -- When its usage was stored.
  metered_at timestamptz(3),
  check ((ended_at is null) = (status in ('queued', 'running')))
);
create index invocations_open on invocations (workspace_id, resource_uid, next_at) include (body_bytes) where ended_at is null;
create index invocations_of_resource on invocations (resource_uid, id);
create unique index invocations_messages on invocations (resource_uid, message_id) where message_id is not null;
create index invocations_by_workspace on invocations (workspace_id);
create index invocations_unmetered on invocations (accepted_at) where metered_at is null;
create index invocations_ended on invocations (ended_at) where ended_at is not null;

-- A delivery belongs to an execution or to an invocation of a workspace, or to a budget of an account.
alter table deliveries
  add column invocation_id uuid unique,
  drop constraint deliveries_check,
  add check (case when budget_id is null
    then num_nulls(workspace_id, resource_uid, trigger_id) = 0 and num_nonnulls(execution_id, invocation_id) = 1 and account_id is null
    else num_nonnulls(workspace_id, resource_uid, execution_id, invocation_id, trigger_id) = 0 and account_id is not null end);
drop index deliveries_by_workspace;
create index deliveries_by_workspace on deliveries (workspace_id, id);
