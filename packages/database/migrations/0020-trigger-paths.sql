-- Triggers of type http: requests to /{workspace}/{path} at a gateway reach the resource.

-- One row for each trigger with a path, written with its resource.
create table trigger_paths (
  workspace_id uuid not null,
  path text not null,
  resource_uid uuid not null references resources on delete cascade,
  trigger_id text not null,
  -- Switch of the trigger itself; its resource has another.
  is_enabled boolean not null,
  is_public boolean not null,
  primary key (workspace_id, path)
);
create index trigger_paths_of_resource on trigger_paths (resource_uid);

-- Of jobs with the same path the oldest gets it. Paths that are refused today get no row.
insert into trigger_paths (workspace_id, path, resource_uid, trigger_id, is_enabled, is_public)
select workspace_id, path, uid, trigger ->> 'id', coalesce((trigger ->> 'enabled')::boolean, true),
  coalesce(trigger #>> '{configuration,authenticationType}' = 'public', false)
from resources
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(spec -> 'triggers') = 'array' then spec -> 'triggers' else '[]' end) as trigger
cross join lateral regexp_replace(trigger #>> '{configuration,path}', '^/', '') as path
where kind = 'job' and trigger ->> 'type' = 'http' and trigger ->> 'id' is not null and length(path) <= 200
  and path ~ '^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+){0,3}$' and path !~ '(^|/)[.][.]?(/|$)'
  and path !~ '^(-|(agents|functions|sandboxes|models|jobs)(/|$))'
order by created_at, uid
on conflict do nothing;
