-- A deleted workspace is gone at once: its row goes in the request that deletes it, and nothing is found that is looked for
-- through it. What it held is removed afterwards in batches, so that its size is nobody's wait.

create table deleted_workspaces (
  id uuid primary key,
  deleted_at timestamptz(3) not null default now()
);

-- Here and not in whoever deletes a workspace: none may forget what is left of it.
create function note_deleted_workspace() returns trigger language plpgsql as $$
begin
  insert into deleted_workspaces (id) values (old.id);
  return null;
end $$;
create trigger workspaces_deleted after delete on workspaces
  for each row execute function note_deleted_workspace();

-- These outlive their workspace, so no key binds them to it. New ones still need it, and hold it until they are committed.
alter table resources drop constraint resources_workspace_id_fkey;
alter table executions drop constraint executions_workspace_id_fkey;
alter table resource_counts drop constraint resource_counts_workspace_id_fkey;

create function hold_workspace() returns trigger language plpgsql as $$
begin
  perform from workspaces where id = new.workspace_id for key share;
  if not found then
    raise foreign_key_violation using message = format('workspace %s is gone', new.workspace_id),
      constraint = tg_table_name || '_workspace_id_fkey', table = tg_table_name;
  end if;
  return null;
end $$;
create trigger resource_in_workspace after insert on resources for each row execute function hold_workspace();
create trigger execution_in_workspace after insert on executions for each row execute function hold_workspace();

-- As before; and what a deleted workspace held was given back with it, so its row is held until this is committed.
create or replace function remove_previews(uids uuid[]) returns integer language plpgsql as $$
declare
  removed integer;
begin
  with gone as (
    delete from resources where uid = any (uids) and kind = 'preview' returning workspace_id, parent_uid
  ), held as (
    select id, account_id from workspaces where id in (select workspace_id from gone) for key share
  ), by_account as (
    select account_id, count(*)::integer as previews from gone join held on held.id = gone.workspace_id group by account_id
  ), quota as (
    update quota_usage set used = used - by_account.previews from by_account
    where quota_usage.account_id = by_account.account_id and quota_usage.resource_type = 'previews'
  ), by_sandbox as (
    select workspace_id, parent_uid, count(*)::integer as previews from gone join held on held.id = gone.workspace_id
    group by workspace_id, parent_uid
  ), counts as (
    update resource_counts set live = live - by_sandbox.previews from by_sandbox
    where resource_counts.workspace_id = by_sandbox.workspace_id and resource_counts.kind = 'preview'
      and resource_counts.parent_uid = by_sandbox.parent_uid
  )
  select count(*) into removed from gone;
  return removed;
end $$;
