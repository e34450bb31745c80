-- The epoch of the deployment, and instances that runners keep because the deployment does not know them.

-- One row. Backups leave it out: a restored database has none until its restore is finished, and gets another epoch then.
create table deployment_epoch (
  is_only boolean primary key default true check (is_only),
  epoch uuid not null default gen_random_uuid(),
  -- A copy for a rehearsal takes no runners and does nothing to other systems.
  is_rehearsal boolean not null default false,
  since timestamptz(3) not null default clock_timestamp()
);
insert into deployment_epoch default values;

-- As each runner has reported them last. A row goes when its runner reports that nothing of the instance is left.
create table orphans (
  runner_id uuid not null references runners on delete cascade,
  instance_id uuid not null,
  -- Null where the runner knows of no owner, such as for a sandbox that waited in a warm pool.
  workspace_id uuid,
  is_sandbox boolean not null,
  reported_at timestamptz(3) not null default clock_timestamp(),
  -- When the operator ordered its removal.
  removal_ordered_at timestamptz(3),
  primary key (runner_id, instance_id)
);
