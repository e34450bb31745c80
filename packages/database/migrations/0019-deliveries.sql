-- Callbacks of executions: each is a row that is delivered by the orchestrator, apart from the work of its handlers.

-- What started the execution; 0018 adds it too.
alter table executions add column if not exists trigger jsonb;

create table deliveries (
  -- Sent with every try, so that the receiver can tell a repeated delivery.
  id uuid primary key,
  workspace_id uuid not null,
  resource_uid uuid not null,
  execution_id uuid not null unique,
  trigger_id text not null,
  url text not null,
  -- Host and port of the url: tries to one receiver are limited.
  host text not null,
  -- Sealed for the resource under the key of the workspace.
  secret text not null,
  body text not null,
  attempts integer not null default 0,
  next_at timestamptz(3) not null default clock_timestamp(),
  -- The process that delivers it has until then to record the result.
  claimed_until timestamptz(3),
  delivered_at timestamptz(3),
  given_up_at timestamptz(3),
  last_status integer,
  last_error text,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index deliveries_open on deliveries (workspace_id, host, next_at)
  where delivered_at is null and given_up_at is null;
create index deliveries_ended on deliveries ((coalesce(delivered_at, given_up_at)));
create index deliveries_by_workspace on deliveries (workspace_id);
