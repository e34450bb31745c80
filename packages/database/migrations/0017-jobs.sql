-- Executions run. A task stays a row of its own; each attempt of it is an instance.

-- A deleted job leaves its executions: they are cancelled, and readable until they expire.
alter table executions drop constraint executions_job_uid_fkey;

alter table executions
  -- Largest number of tasks at once, and memory of each; both are fixed at the start.
  add column parallelism integer not null default 10,
  add column memory_mb integer not null default 1024,
  -- Tasks with an attempt that is not settled yet.
  add column active integer not null default 0 check (active >= 0),
  add column succeeded integer not null default 0,
  add column failed integer not null default 0,
  add column cancelled integer not null default 0,
  -- Attempts that were repeated for the task's own fault.
  add column retried integer not null default 0,
  add constraint executions_count_each_task_once check (active + succeeded + failed + cancelled <= task_count) not valid;
update executions set
  parallelism = coalesce((spec ->> 'parallelism')::integer, 10),
  memory_mb = coalesce((spec ->> 'memoryOverrideMb')::integer, (spec #>> '{job,runtime,memory}')::integer, 1024),
  cancelled = case when status = 'cancelled' then task_count else 0 end;
create index executions_open on executions (created_at, id) where completed_at is null;

alter table tasks
  add column attempt integer not null default 0,
  add column failures integer not null default 0,
  add column losses integer not null default 0,
  add column not_before timestamptz(3),
  add column reason text,
  add column exit_code integer,
  add column message text;
create index tasks_waiting on tasks (execution_id, index) where status = 'pending';
create index tasks_delayed on tasks (not_before) where status = 'pending' and not_before is not null;

alter table instances
  add column execution_id uuid,
  add column task_index integer,
  add column attempt integer,
  -- reason and exitCode of an attempt that has ended.
  add column result jsonb,
  -- When the process of an attempt ended; ready_at is when it started.
  add column finished_at timestamptz(3),
  -- When the end of an attempt became part of its task.
  add column settled_at timestamptz(3),
  drop constraint instances_state_check,
  add constraint instances_state_check
    check (state in ('placed', 'pulling', 'starting', 'ready', 'ended', 'failed', 'gone', 'lost'));
create unique index attempts_unsettled on instances (execution_id, task_index, attempt)
  where execution_id is not null and settled_at is null;

-- 0 for a runner that has not announced tasks.
alter table runners add column max_tasks integer not null default 0 check (max_tasks >= 0);
