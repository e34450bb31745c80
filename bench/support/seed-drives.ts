// Inserts many drives into a workspace, as the api would have written them.
import pg from 'pg';

interface Seed {
  readonly workspaceId: string;
  readonly kind: 'drive';
  readonly count: number;
  readonly createdBy: string;
}

/** Words of different frequency: `drive` in every name, a colour in a tenth, a rare word in one of ten thousand. */
const rows = `
  select
    n,
    to_timestamp(1750000000 + n / 1000.0) as made,
    'drive-' || (array['amber','birch','cobalt','denim','ebony','flint','garnet','hazel','indigo','jade'])[1 + (n::bigint * 7919) % 10]
      || '-' || to_hex((n::bigint * 2654435761) % 4294967296)
      || case when n % 10000 = 77 then '-zephyrine' else '' end as name,
    case when n % 3 = 0 then 'Drive number ' || n else null end as display_name,
    case when n % 5000 = 11 then jsonb_build_object('odd%_key', 'value ' || n, 'team', 'q' || (n % 40))
         else jsonb_build_object('team', 'team ' || (n % 40)) end as labels
  from generate_series(1, $2::int) as n`;

export async function seedDrives(url: string, { workspaceId, kind, count, createdBy }: Seed): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await client.query(
      `insert into resources (uid, workspace_id, kind, name, display_name, labels, spec, status, created_at, updated_at, created_by, updated_by, search)
       select (lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || $1), 1, 3) || '8' || substr(md5($1 || n::text), 1, 15))::uuid,
         $1::uuid, '${kind}', name, display_name, labels, jsonb_build_object('size', n % 100, 'region', 'local', 'infrastructureId', 'drv-' || substr(md5(n::text), 1, 12)),
         'DEPLOYING', made, made, $3, $3,
         lower(name || chr(31) || coalesce(display_name, '') || coalesce((select chr(31) || string_agg(key || chr(31) || value, chr(31)) from jsonb_each_text(labels)), ''))
       from (${rows}) as drives`,
      [workspaceId, count, createdBy],
    );
    await client.query(
      `insert into resource_events (resource_uid, time, type, status, message)
       select uid, created_at, 'deployment', 'DEPLOYING', 'Waiting for storage.' from resources where workspace_id = $1 and kind = '${kind}'`,
      [workspaceId],
    );
    await client.query(
      `insert into resource_counts (workspace_id, kind, live) values ($1, '${kind}', $2)
       on conflict (workspace_id, kind, parent_uid) do update set live = excluded.live`,
      [workspaceId, count],
    );
  } finally {
    await client.end();
  }
}

/** Drops the search indexes while loading, which is faster, and recreates them exactly as the migrations made them. */
export async function withoutSearchIndexes(url: string, load: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
      "select indexname, indexdef from pg_indexes where tablename = 'resources' and indexdef like '%USING gin%'",
    );
    for (const { indexname } of indexes) await client.query(`drop index ${pg.escapeIdentifier(indexname)}`);
    await load();
    await client.query("set maintenance_work_mem = '1GB'");
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
