-- Limits of models: windows of tokens and of money, and budgets that count what models cost.

-- Every gateway process has rows of its own and writes its totals into them; the sum of the rows of a window is what was used. So no
-- request waits for a row, a repeated write changes nothing, and a killed process leaves what it has written.
create table limit_windows (
  -- A policy, or a budget.
  subject uuid not null,
  -- What of it is counted: the model and the length of the window of a policy, or money.
  measure text not null,
  window_start timestamptz(3) not null,
  -- Made by the process that writes the row, and never used again.
  gateway_run uuid not null,
  -- Providers tell these numbers, and a provider may tell any: one of 64 bits would overflow and stop the writes of all windows.
  sent numeric(38, 0) not null,
  received numeric(38, 0) not null,
  -- In 10^-9 USD.
  nano_usd numeric(38, 0) not null,
  expires_at timestamptz(3) not null,
  primary key (subject, measure, window_start, gateway_run)
) with (fillfactor = 50);
create index limit_windows_expired on limit_windows (expires_at);

-- A budget of models counts what providers cost by the prices of the operator, and refuses requests once it is used up.
alter table budgets add column of text not null default 'usage' check (of in ('usage', 'models'));
