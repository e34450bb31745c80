-- Machines that run instances, how they join, and the instances themselves.

create table runners (
  id uuid primary key,
  name text not null unique,
  region text not null,
  -- joined (never connected) | up | lost
  status text not null default 'joined' check (status in ('joined', 'up', 'lost')),
  isolation text[] not null default '{}',
  memory_mb integer not null default 0 check (memory_mb >= 0),
  cpus real not null default 0,
  -- What its instances were promised, kept in the transaction that places or ends one.
  reserved_mb integer not null default 0 check (reserved_mb >= 0),
  -- Counts its streams: words of an older stream are not heard.
  session bigint not null default 0,
  version text,
  free_memory_mb real,
  free_disk_percent real,
  joined_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3)
);

-- One-time; only a hash is stored. Used ones stay for a while, so that a second use can be told apart from a wrong one.
create table runner_tokens (
  hash bytea primary key,
  region text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  runner_id uuid references runners
);

-- Not bound to the resource or the workspace by a key: a container outlives both until its runner has removed it.
create table instances (
  id uuid primary key,
  workspace_id uuid not null,
  resource_uid uuid not null,
  revision text not null,
  runner_id uuid not null references runners,
  -- What the runner is told, secrets still sealed; never changed.
  spec jsonb not null,
  desired text not null default 'running' check (desired in ('running', 'gone')),
  state text not null default 'placed'
    check (state in ('placed', 'pulling', 'starting', 'ready', 'failed', 'gone', 'lost')),
  code text,
  message text,
  starts integer not null default 0,
  address text,
  stages jsonb,
  reserved_mb integer not null check (reserved_mb >= 0),
  -- Of the newest report that was recorded.
  report_session bigint not null default 0,
  report_sequence bigint not null default -1,
  created_at timestamptz(3) not null default clock_timestamp(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  ended_at timestamptz(3)
);
create index instances_of_resource on instances (resource_uid) where ended_at is null;
create index instances_of_runner on instances (runner_id) where ended_at is null;
create index instances_by_revision on instances (resource_uid, revision, created_at);
create index instances_ended on instances (ended_at) where ended_at is not null;
