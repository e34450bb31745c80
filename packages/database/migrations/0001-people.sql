-- People and tenancy: an account owns workspaces, users are members of both, service accounts live in one workspace.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table accounts (
  id uuid primary key,
  display_name text not null,
  owner_email text not null,
  plan text not null,
  tier text not null,
  -- Limits that differ from the tier's, as {resource type: number}.
  quotas jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  given_name text,
  family_name text,
  created_at timestamptz(3) not null default now()
);

create table account_members (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('member', 'admin')),
  primary key (account_id, user_id)
);
create index account_members_by_user on account_members (user_id);

create table workspaces (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text collate "C" not null unique,
  display_name text,
  region text,
  labels jsonb not null default '{}',
  group_mappings jsonb not null default '[]',
  runtime jsonb not null default '{}',
  hipaa jsonb,
  status text not null
    check (status in ('created', 'account_binded', 'account_configured', 'workspace_configured', 'ready', 'error')),
  status_reason text,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null,
  check ((status = 'error') = (status_reason is not null))
);
create index workspaces_by_account on workspaces (account_id);

-- One row per finished step of a workspace's creation, so that a failed one can be tried again from where it stopped.
create table workspace_steps (
  workspace_id uuid not null references workspaces on delete cascade,
  step text not null,
  at timestamptz(3) not null default now(),
  primary key (workspace_id, step)
);

create table workspace_members (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('member', 'admin')),
  source text,
  created_at timestamptz(3) not null default now(),
  primary key (workspace_id, user_id)
);
create index workspace_members_by_user on workspace_members (user_id);

create table invitations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('member', 'admin')),
  invited_by text not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'declined', 'revoked')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create unique index invitations_open on invitations (workspace_id, email) where state = 'open';
create index invitations_by_email on invitations (email) where state = 'open';

create table service_accounts (
  client_id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text,
  role text not null check (role in ('member', 'admin')),
  secret_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index service_accounts_by_workspace on service_accounts (workspace_id);

-- A key belongs to a user or to a service account; the value is kept as a hash only. A service account's key is also
-- sealed with its workspace's data key, because S3 request signatures are made with the value itself.
create table api_keys (
  id text primary key,
  hash bytea not null unique,
  user_id uuid references users on delete cascade,
  service_account_id uuid references service_accounts on delete cascade,
  name text,
  scopes text[],
  sealed text,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  check ((user_id is null) <> (service_account_id is null))
);
create index api_keys_by_user on api_keys (user_id);
create index api_keys_by_service_account on api_keys (service_account_id);

-- Data keys, each wrapped by one of the operator's master keys.
create table workspace_keys (
  workspace_id uuid primary key references workspaces on delete cascade,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz(3) not null default now()
);

-- Keys of the deployment itself (cursors, drive tokens, stored answers), wrapped alike.
create table deployment_keys (
  id text primary key,
  purpose text not null,
  master_key_id text not null,
  wrapped bytea not null,
  public_part jsonb,
  created_at timestamptz(3) not null default now()
);
create unique index deployment_keys_by_purpose on deployment_keys (purpose);

create table prices (
  account_id uuid not null references accounts on delete cascade,
  billing_dimension text not null,
  unit text not null,
  usd_per_unit numeric(24, 12) not null,
  valid_from timestamptz(3) not null default now(),
  primary key (account_id, billing_dimension, valid_from)
);
