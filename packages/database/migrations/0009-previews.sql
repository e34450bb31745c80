-- Previews: hosts for ports of sandboxes, and the tokens that open the private ones. A preview is a resource below its sandbox.

-- Each host is one preview's. Below the domain of the deployment it is a label in a region; below a customer's domain the
-- label is the whole host, and the region is empty.
create table preview_hosts (
  region text not null,
  label text not null,
  preview_uid uuid not null unique references resources on delete cascade,
  primary key (region, label)
);

-- Looked up by hash, shown again from what is sealed. Names need not be unique.
create table preview_tokens (
  id uuid primary key,
  preview_uid uuid not null references resources on delete cascade,
  name text not null,
  hash bytea not null unique,
  sealed text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null
);
create index preview_tokens_by_preview on preview_tokens (preview_uid, created_at, id);
create index preview_tokens_by_expiry on preview_tokens (expires_at);

-- Removes previews with their hosts and tokens, and gives back what they counted for. Rows that are gone already count for nothing.
create function remove_previews(uids uuid[]) returns integer language plpgsql as $$
declare
  removed integer;
begin
  with gone as (
    delete from resources where uid = any (uids) and kind = 'preview' returning workspace_id, parent_uid
  ), by_account as (
    select account_id, count(*)::integer as previews from gone join workspaces on workspaces.id = gone.workspace_id group by account_id
  ), quota as (
    update quota_usage set used = used - by_account.previews from by_account
    where quota_usage.account_id = by_account.account_id and quota_usage.resource_type = 'previews'
  ), by_sandbox as (
    select workspace_id, parent_uid, count(*)::integer as previews from gone group by workspace_id, parent_uid
  ), counts as (
    update resource_counts set live = live - by_sandbox.previews from by_sandbox
    where resource_counts.workspace_id = by_sandbox.workspace_id and resource_counts.kind = 'preview'
      and resource_counts.parent_uid = by_sandbox.parent_uid
  )
  select count(*) into removed from gone;
  return removed;
end $$;

-- Here and not in whoever ends a sandbox: they are several, and none may forget. A counter that still counts belongs to whoever
-- removes the whole workspace.
create function remove_previews_below() returns trigger language plpgsql as $$
begin
  perform remove_previews(array(select uid from resources where parent_uid = old.uid and kind = 'preview'
    and parent_uid <> '00000000-0000-0000-0000-000000000000' order by uid));
  delete from resource_counts where workspace_id = old.workspace_id and kind = 'preview' and parent_uid = old.uid and live <= 0;
  return null;
end $$;

create trigger sandbox_terminated after update of terminated_at on resources for each row
  when (old.kind = 'sandbox' and old.terminated_at is null and new.terminated_at is not null)
  execute function remove_previews_below();
create trigger sandbox_removed after delete on resources for each row
  when (old.kind = 'sandbox') execute function remove_previews_below();
