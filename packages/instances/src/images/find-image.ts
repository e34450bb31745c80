// Finds the image of a workload. A registered image is looked up only in the workload's own workspace.
import { type DatabaseTransaction, liveResource, nilUuid } from '@berth/database';
import { sql } from 'kysely';
import type { PlacementSettings } from '../config.ts';
import { chooseImage, type ImageChoice } from './choose-image.ts';
import { type RegisteredName, registeredName } from './image-name.ts';

export async function findImage(
  tx: DatabaseTransaction,
  workspace: { readonly id: string; readonly name: string },
  named: string,
  settings: PlacementSettings,
): Promise<ImageChoice> {
  const known = registeredName(named, workspace.name);
  const registered = known === undefined ? undefined : await findRegistered(tx, workspace.id, known);
  return chooseImage({ named, workspace: workspace.name, registered }, settings);
}

/** The newest match when images of several types have the name. */
async function findRegistered(
  tx: DatabaseTransaction,
  workspaceId: string,
  { types, name, tag }: RegisteredName,
): Promise<string | undefined> {
  const names = types.map((type) => `${type}/${name}`);
  const { rows } = await sql<{ reference: string }>`
    select tag ->> 'reference' as reference
    from resources cross join lateral jsonb_array_elements(spec -> 'tags') as tag
    where workspace_id = ${workspaceId} and kind = 'image' and parent_uid = ${sql.lit(nilUuid)}
      and name = any(${names}::text[]) and ${liveResource()} and tag ->> 'name' = ${tag}
    order by created_at desc, uid desc limit 1`.execute(tx);
  return rows[0]?.reference;
}
