-- Resources of every kind in one table, their events and revisions, and the rows each write leaves beside them.

-- Pairs of neighbouring characters: what lets a search for two characters, or for signs only, use an index.
create function search_bigrams(search text) returns text[]
  language sql immutable strict parallel safe
  as $$
    select coalesce(array_agg(distinct pair), '{}')
    from (
      select letter || lead(letter) over (order by place) as pair
      from unnest(string_to_array(search, null)) with ordinality as letters(letter, place)
    ) as pairs
    where pair is not null
  $$;

create table resources (
  uid uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text collate "C" not null,
  -- The nil UUID stands for "no parent": an equality lets the listing indexes give their order, a null test does not.
  parent_uid uuid not null default '00000000-0000-0000-0000-000000000000',
  name text collate "C" not null,
  display_name text,
  external_id text,
  labels jsonb,
  spec jsonb not null,
  state jsonb,
  status text,
  generation bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null,
  terminated_at timestamptz(3),
  -- Name, display name, label keys and values in lower case; what `q` looks through.
  search text collate "C" not null
);
create unique index resources_live_name on resources (workspace_id, kind, parent_uid, name) where terminated_at is null;
create index resources_live_age on resources (workspace_id, kind, parent_uid, created_at, uid) where terminated_at is null;
create index resources_live_trigrams on resources using gin (workspace_id, search gin_trgm_ops) where terminated_at is null;
create index resources_live_bigrams on resources using gin (workspace_id, search_bigrams(search)) where terminated_at is null;
create index resources_external_id on resources (workspace_id, kind, external_id, created_at) where external_id is not null;
create index resources_terminated on resources (workspace_id, kind, name, terminated_at) where terminated_at is not null;
create index resources_children on resources (parent_uid)
  where parent_uid <> '00000000-0000-0000-0000-000000000000';

create table resource_events (
  id bigint generated always as identity,
  resource_uid uuid not null,
  time timestamptz(3) not null default clock_timestamp(),
  type text not null,
  status text,
  message text,
  revision text,
  canary_revision text,
  primary key (resource_uid, time, id)
) partition by range (time);

create table revisions (
  resource_uid uuid not null references resources on delete cascade,
  id text not null,
  number bigint not null,
  spec jsonb not null,
  status text not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  primary key (resource_uid, id),
  unique (resource_uid, number)
);

-- Live resources per workspace, kind and parent: `meta.total` and `resourceCounts` are read here, never counted.
create table resource_counts (
  workspace_id uuid not null references workspaces on delete cascade,
  kind text collate "C" not null,
  parent_uid uuid not null default '00000000-0000-0000-0000-000000000000',
  live bigint not null check (live >= 0),
  primary key (workspace_id, kind, parent_uid)
);

-- What an account holds of each limited resource, over all its workspaces.
create table quota_usage (
  account_id uuid not null references accounts on delete cascade,
  resource_type text not null,
  used bigint not null check (used >= 0),
  primary key (account_id, resource_type)
);

create table executions (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  job_uid uuid not null references resources on delete cascade,
  -- The caller's own id of the execution where it gave one.
  external_id text not null,
  message_id text,
  status text not null,
  spec jsonb not null,
  task_count integer not null,
  generation bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  unique (job_uid, external_id)
);
create index executions_by_age on executions (job_uid, created_at, id);

create table tasks (
  execution_id uuid not null references executions on delete cascade,
  index integer not null,
  status text not null default 'pending',
  input jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  scheduled_at timestamptz(3),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  primary key (execution_id, index)
);

-- The primary key is what makes an address impossible to give twice.
create table egress_addresses (
  address inet primary key,
  pool cidr not null,
  resource_uid uuid not null references resources on delete cascade,
  allocated_at timestamptz(3) not null default now()
);
create index egress_addresses_by_pool on egress_addresses (pool, address);
create index egress_addresses_by_resource on egress_addresses (resource_uid);

-- The first part of a workload's host name, unique in its region.
create table host_labels (
  region text not null,
  label text not null,
  resource_uid uuid not null unique references resources on delete cascade,
  primary key (region, label)
);

-- Work that follows a write; sent by the relay after the transaction is there.
create table outbox (
  id bigint generated always as identity,
  created_at timestamptz(3) not null default now(),
  topic text not null,
  key text not null,
  payload jsonb not null default '{}',
  trace text,
  primary key (created_at, id)
) partition by range (created_at);

create table audit_log (
  id bigint generated always as identity,
  at timestamptz(3) not null default now(),
  account_id uuid,
  workspace_id uuid,
  subject text not null,
  subject_type text not null,
  action text not null,
  target text not null,
  request_id text not null,
  primary key (at, id)
) partition by range (at);
create index audit_log_by_workspace on audit_log (workspace_id, at);

-- Not partitioned: uniqueness has to reach over midnight. Rows live 24 hours and are removed in small batches.
create table idempotency_keys (
  principal text not null,
  workspace_id uuid not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  answer text,
  created_at timestamptz(3) not null default now(),
  primary key (principal, workspace_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
