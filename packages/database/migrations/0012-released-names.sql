-- The name of a deleted workspace stays with its account for a while: links to its public addresses are still around, and
-- another account that took the name at once would answer there.
create table released_workspace_names (
  name text collate "C" primary key,
  account_id uuid not null references accounts on delete cascade,
  released_at timestamptz(3) not null default now()
);

create function keep_released_workspace_name() returns trigger language plpgsql as $$
begin
  insert into released_workspace_names (name, account_id) values (old.name, old.account_id)
  on conflict (name) do update set account_id = excluded.account_id, released_at = excluded.released_at;
  return null;
end $$;

create trigger workspaces_release_name after delete on workspaces
  for each row execute function keep_released_workspace_name();
