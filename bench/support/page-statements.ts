// The statements behind one page of drives, as the api sends them, without the api.
import type pg from 'pg';

const columns =
  'uid, workspace_id, kind, parent_uid, name, display_name, external_id, labels, spec, state, status, generation, created_at, created_by, updated_at, updated_by, terminated_at';
const nobody = '00000000-0000-0000-0000-000000000000';

const orders: Readonly<Record<string, string>> = {
  'createdAt:desc': 'created_at desc, uid desc',
  'createdAt:asc': 'created_at, uid',
  'name:asc': 'name',
  'name:desc': 'name desc',
};

export function pageStatements(workspaceId: string, sort: string) {
  const page = `select ${columns} from resources
    where workspace_id = $1 and kind = 'drive' and parent_uid = $2 and terminated_at is null order by ${orders[sort]} limit $3`;
  const events = `
    select asked.uid, event.type, event.status, event.message, event.revision, event.canary_revision, event.time
    from unnest($1::uuid[], $2::timestamptz[]) as asked(uid, since)
    cross join lateral (
      select e.id, e.time, e.type, e.status, e.message, e.revision, e.canary_revision from resource_events e where e.resource_uid = asked.uid and e.time >= asked.since
      order by e.time desc, e.id desc limit $3
    ) as event
    order by event.time, event.id`;
  const total = "select live from resource_counts where workspace_id = $1 and kind = 'drive' and parent_uid = $2";
  return {
    async run(client: pg.Client): Promise<void> {
      await client.query(total, [workspaceId, nobody]);
      const { rows } = await client.query<{ uid: string; created_at: Date }>(page, [workspaceId, nobody, 51]);
      const shown = rows.slice(0, 50);
      await client.query(events, [shown.map(({ uid }) => uid), shown.map(({ created_at }) => created_at), 100]);
    },
  };
}
