-- Usage of accounts: who an instance is billed to, which hours of the ledger are not closed, and prices.

-- Rows of workspaces and resources may be gone when the last usage arrives, so the instance keeps what is billed.
alter table instances
  add column account_id uuid,
  add column workspace_name text,
  -- Its runner has sent all usage of it.
  add column metered_at timestamptz(3);

create function bill_instance_to_account() returns trigger language plpgsql as $$
begin
  select account_id, name into new.account_id, new.workspace_name from workspaces where id = new.workspace_id;
  return new;
end $$;

create trigger instances_are_billed before insert or update of workspace_id on instances
  for each row when (new.workspace_id is not null and new.account_id is null)
  execute function bill_instance_to_account();

update instances set account_id = workspaces.account_id, workspace_name = workspaces.name
  from workspaces where workspaces.id = instances.workspace_id and ended_at is null;

-- Times in which a runner counted as lost. Its instances cost nothing then. `since` is the last word before it.
create table runner_absences (
  runner_id uuid not null references runners on delete cascade,
  since timestamptz(3) not null,
  until timestamptz(3),
  primary key (runner_id, since)
);

-- Hours with rows in the ledger that are not closed, or not closed again. The mark is written before the rows.
create table usage_dirty_hours (
  account_id uuid not null,
  hour timestamptz(3) not null check (hour = date_trunc('hour', hour, 'UTC')),
  -- Grows with every mark: who closes the hour removes the row only if no rows came meanwhile.
  marks bigint not null default 1,
  claimed_until timestamptz(3) not null default '-infinity',
  primary key (account_id, hour)
);
create index usage_dirty_hours_by_hour on usage_dirty_hours (hour);

-- Totals of each closed hour, to notice that ClickHouse lost rows or has too many.
create table usage_closed_hours (
  account_id uuid not null,
  hour timestamptz(3) not null,
  -- Usage in 10^-6 units of all dimensions together, and cost in 10^-12 USD.
  micro numeric(38, 0) not null,
  pico numeric(38, 0) not null,
  closings integer not null default 1,
  closed_at timestamptz(3) not null default now(),
  primary key (account_id, hour)
);

-- Prices change at full hours only, so that an hour has one price.
alter table prices
  alter column usd_per_unit type numeric(38, 18),
  alter column valid_from set default date_trunc('hour', now(), 'UTC');
update prices set valid_from = date_trunc('hour', valid_from, 'UTC');
alter table prices add check (valid_from = date_trunc('hour', valid_from, 'UTC')), add check (usd_per_unit >= 0);
-- List prices that twelve digits cut off.
update prices set usd_per_unit = exact.price from (values
  (0.000000017361::numeric, 0.045 / 2592000),
  (0.000000077160, 0.20 / 2592000),
  (0.000000046296, 0.12 / 2592000),
  (0.027777777778, 20.0 / 720)) as exact (rounded, price)
  where usd_per_unit = exact.rounded;
