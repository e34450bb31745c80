// The statements behind one PUT of a new drive, as the api sends them, without the api. The api prepares them; here
// they can be sent prepared or not.
import { uuidv7 } from '@berth/database';
import type pg from 'pg';

const columns =
  'uid, workspace_id, kind, parent_uid, name, display_name, external_id, labels, spec, state, status, generation, created_at, created_by, updated_at, updated_by, terminated_at';
const nobody = '00000000-0000-0000-0000-000000000000';

/** One statement name per text; the first run on a connection prepares it. */
const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `bare_${names.size}`;
  names.set(text, name);
  return name;
};

export async function putDriveBare(
  client: pg.ClientBase,
  prepared: boolean,
  workspaceId: string,
  subject: string,
  name: string,
): Promise<void> {
  const uid = uuidv7();
  const send = (text: string, values: unknown[]) =>
    prepared ? client.query({ name: nameOf(text), text, values }) : client.query(text, values);
  await client.query('begin');
  await send(
    `select ${columns} from resources where workspace_id = $1 and kind = $2 and parent_uid = $3 and name = $4 and terminated_at is null for update`,
    [workspaceId, 'drive', nobody, name],
  );
  await send(
    `insert into resources (uid, workspace_id, kind, name, display_name, external_id, labels, spec, state, status, created_by, updated_by, search)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning ${columns}`,
    [
      uid,
      workspaceId,
      'drive',
      name,
      null,
      null,
      '{"team":"bench"}',
      '{"size":5,"region":"local","infrastructureId":"drv-0123456789ab"}',
      null,
      'DEPLOYING',
      subject,
      subject,
      `${name}\n\nteam\nbench`,
    ],
  );
  await send(
    'insert into resource_events (resource_uid, type, status, message, revision) values ($1, $2, $3, $4, $5) returning type, status, message, revision, canary_revision, time',
    [uid, 'deployment', 'DEPLOYING', 'Waiting for storage.', null],
  );
  await send('insert into outbox (topic, key, workspace_id, trace) values ($1, $2, $3, $4)', [
    'reconcile',
    uid,
    workspaceId,
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ]);
  await send(
    'insert into audit_log (subject, subject_type, account_id, workspace_id, action, target, request_id) values ($1, $2, $3, $4, $5, $6, $7)',
    [subject, 'user', workspaceId, workspaceId, 'drive.update', `drive/${name}`, uid],
  );
  await send(
    `insert into resource_counts as counts (workspace_id, kind, parent_uid, live) values ($1, $2, $3, $4)
     on conflict (workspace_id, kind, parent_uid) do update set live = counts.live + $5`,
    [workspaceId, 'drive', nobody, 1, 1],
  );
  await client.query('commit');
}
