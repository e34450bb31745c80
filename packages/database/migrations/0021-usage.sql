-- Usage of accounts: the names that instances are billed under, which hours of the ledger are not closed, and prices.

-- Rows of workspaces may be gone when the last usage arrives, so an instance keeps the name beside the account.
alter table instances
  add column workspace_name text,
  -- Its runner has sent all usage of it.
  add column metered_at timestamptz(3);

create function set_owner_of_instance() returns trigger language plpgsql as $$
begin
  select account_id, name into new.account_id, new.workspace_name from workspaces where id = new.workspace_id;
  return new;
end $$;

create or replace trigger instance_owned before insert or update of workspace_id on instances for each row
  when (new.workspace_id is not null) execute function set_owner_of_instance();

update instances set workspace_name = workspaces.name
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

-- Time in which a resource is billed by itself and not by its instances, such as a verified domain. Rows of the resource and of
-- its workspace may be gone when the last of it is metered.
create table usage_spans (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null,
  workspace_id uuid not null,
  workspace_name text not null,
  resource_type text not null,
  resource_name text not null,
  resource_uid uuid not null,
  billing_dimension text not null,
  from_at timestamptz(3) not null default clock_timestamp(),
  to_at timestamptz(3),
  -- The ledger has the span up to here.
  metered_to timestamptz(3)
);
create unique index usage_spans_open on usage_spans (resource_uid, billing_dimension) where to_at is null;
create index usage_spans_of_workspace on usage_spans (workspace_id) where to_at is null;
create index usage_spans_unmetered on usage_spans (from_at) where to_at is null or metered_to is null or metered_to < to_at;

-- A trigger, because several writers verify, change and remove domains, and none may forget.
create function meter_custom_domain() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and new.terminated_at is null and new.spec ->> 'status' = 'verified' then
    insert into usage_spans (account_id, workspace_id, workspace_name, resource_type, resource_name, resource_uid, billing_dimension)
      select account_id, id, name, 'custom_domain', new.name, new.uid, 'custom_domain_active_time_hours'
      from workspaces where id = new.workspace_id
      on conflict do nothing;
  else
    update usage_spans set to_at = clock_timestamp()
      where resource_uid = coalesce(new.uid, old.uid) and billing_dimension = 'custom_domain_active_time_hours' and to_at is null;
  end if;
  return null;
end $$;
create trigger custom_domain_written after insert or update of spec, terminated_at on resources for each row
  when (new.kind = 'customdomain') execute function meter_custom_domain();
create trigger custom_domain_removed after delete on resources for each row
  when (old.kind = 'customdomain') execute function meter_custom_domain();

-- The resources of a deleted workspace are removed later.
create function end_usage_spans() returns trigger language plpgsql as $$
begin
  update usage_spans set to_at = clock_timestamp() where workspace_id = old.id and to_at is null;
  return null;
end $$;
create trigger workspace_ends_usage after delete on workspaces for each row execute function end_usage_spans();

insert into usage_spans (account_id, workspace_id, workspace_name, resource_type, resource_name, resource_uid, billing_dimension)
  select account_id, workspaces.id, workspaces.name, 'custom_domain', resources.name, uid, 'custom_domain_active_time_hours'
  from resources join workspaces on workspaces.id = workspace_id
  where kind = 'customdomain' and terminated_at is null and spec ->> 'status' = 'verified';

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
