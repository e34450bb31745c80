-- How much is asked of a workload, as each gateway sees it: requests under way or waiting, at their most in the last while.
-- Not bound to the resource by a key: a gateway that says it again must not wait for whoever holds the resource's row.
create table workload_demand (
  resource_uid uuid not null,
  gateway_id uuid not null,
  requests integer not null check (requests > 0),
  -- A gateway that died says nothing more.
  expires_at timestamptz(3) not null,
  primary key (resource_uid, gateway_id)
);
create index workload_demand_expired on workload_demand (expires_at);

-- leaving: takes nothing new, and goes once what is under way has ended.
alter table instances drop constraint instances_desired_check;
alter table instances add constraint instances_desired_check check (desired in ('running', 'leaving', 'gone')) not valid;
alter table instances validate constraint instances_desired_check;
