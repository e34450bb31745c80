-- Budgets of accounts, the thresholds that were reached, and monthly statements.

create table budgets (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- For a calendar month in UTC.
  amount_usd numeric(20, 6) not null check (amount_usd > 0),
  -- Percent of the amount, ascending.
  thresholds integer[] not null,
  -- Only usage of the workspace with this name; of all workspaces where it is null.
  workspace text,
  callback_url text,
  -- Sealed for the budget under a key of the deployment.
  callback_secret text,
  evaluated_at timestamptz(3) not null default '-infinity',
  created_at timestamptz(3) not null default clock_timestamp(),
  created_by text not null,
  updated_at timestamptz(3) not null default clock_timestamp(),
  updated_by text not null,
  unique (account_id, name),
  check ((callback_url is null) = (callback_secret is null))
);
create index budgets_by_evaluation on budgets (evaluated_at);

-- The key makes a threshold reached once in a month, whatever is killed or evaluated twice.
create table budget_alerts (
  budget_id uuid not null references budgets on delete cascade,
  -- As 2026-11.
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  percent integer not null,
  -- When the threshold was reached: cost of the month in 10^-12 USD, and the amount of the budget.
  pico numeric(38, 0) not null,
  amount_usd numeric(20, 6) not null,
  reached_at timestamptz(3) not null default clock_timestamp(),
  -- Its callback, if the budget has one. Deliveries are removed after their end; the alert stays.
  delivery_id uuid,
  primary key (budget_id, month, percent)
);

-- A delivery belongs to an execution of a workspace, or to a budget of an account.
alter table deliveries
  alter column workspace_id drop not null,
  alter column resource_uid drop not null,
  alter column execution_id drop not null,
  alter column trigger_id drop not null,
  add column account_id uuid,
  add column budget_id uuid references budgets on delete cascade,
  add check (case when budget_id is null
    then num_nulls(workspace_id, resource_uid, execution_id, trigger_id) = 0 and account_id is null
    else num_nonnulls(workspace_id, resource_uid, execution_id, trigger_id) = 0 and account_id is not null end),
  -- The workspace or the account. Tries of all deliveries are divided fairly between senders.
  add column sender_id uuid generated always as (coalesce(workspace_id, account_id)) stored not null;
drop index deliveries_open;
create index deliveries_open on deliveries (sender_id, host, next_at) where delivered_at is null and given_up_at is null;
create index deliveries_of_budget on deliveries (budget_id) where budget_id is not null;

-- The statement of a month. It is stored once, some days after the end of the month.
create table statements (
  account_id uuid not null,
  -- As 2026-11.
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  frozen_at timestamptz(3) not null default clock_timestamp(),
  -- Sum of its lines, in 10^-12 USD.
  pico numeric(38, 0) not null,
  primary key (account_id, month)
);
create table statement_lines (
  account_id uuid not null,
  month text not null,
  -- Month of the usage. One before the month of the statement has the difference to what was stated before.
  usage_month text not null check (usage_month ~ '^\d{4}-\d{2}$' and usage_month <= month),
  workspace_id uuid not null,
  workspace text not null,
  billing_dimension text not null,
  micro numeric(38, 0) not null,
  pico numeric(38, 0) not null,
  primary key (account_id, month, usage_month, workspace_id, billing_dimension),
  foreign key (account_id, month) references statements
);
create index statement_lines_of_usage on statement_lines (account_id, usage_month);

-- A statement is the basis of a bill, so what was read once stays true.
create function refuse_change_of_statement() returns trigger language plpgsql as $$
begin
  raise exception 'a statement never changes; a difference is a line of the next one';
end $$;
create trigger statement_is_final before update or delete on statements for each row execute function refuse_change_of_statement();
create trigger statement_line_is_final before update or delete on statement_lines for each row execute function refuse_change_of_statement();
