// Deletes images, tags, or all unused images. An image in use stays, because its user could not start again without it.
import { requestErrors } from '@berth/contract';
import { liveResource, releaseQuotaAndCount } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { lockLive, type ResourceRow } from '../resources/record.ts';
import { imageErrors } from './errors.ts';
import { ImageSpec, imageKind, referenceForms, storedName, workloadReference } from './record.ts';
import { saveSpec } from './register.ts';
import { renderImage } from './render.ts';
import { usersOf } from './usage.ts';

type DeleteCall = Omit<WriteCall, 'operation' | 'params' | 'query' | 'body'>;

export async function deleteImage(call: DeleteCall, type: string, name: string): Promise<unknown> {
  const { row, spec } = await lockImage(call, type, name);
  await requireUnused(
    call,
    spec,
    spec.tags.map((tag) => tag.name),
  );
  await remove(call, [row.uid]);
  return renderImage(row, call.workspace.name);
}

export async function deleteImageTag(call: DeleteCall, type: string, name: string, tag: string): Promise<unknown> {
  const { row, spec } = await lockImage(call, type, name);
  const tags = spec.tags.filter((kept) => kept.name !== tag);
  if (tags.length === spec.tags.length) throw requestErrors.not_found();
  await requireUnused(call, spec, [tag]);
  await saveSpec(call, row.uid, { ...spec, tags });
  return renderImage({ ...row, spec: { ...spec, tags } }, call.workspace.name);
}

export async function deleteUnusedImages(call: DeleteCall): Promise<unknown> {
  const { tx, workspace } = call;
  const rows = await tx
    .selectFrom('resources')
    .select(['uid', 'spec'])
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', imageKind)
    .where(liveResource())
    // A fixed lock order, so that two such requests do not deadlock.
    .orderBy('uid')
    .forUpdate()
    .execute();
  const images = rows.map(({ uid, spec }) => ({ uid, forms: formsOf(ImageSpec.parse(spec), workspace.name) }));
  const users = await usersOf(
    tx,
    workspace.id,
    images.flatMap(({ forms }) => forms),
  );
  const unused = images.filter(({ forms }) => !forms.some((form) => users.has(form))).map(({ uid }) => uid);
  await remove(call, unused);
  call.target(`${imageKind}/*`);
  return {
    deleted: unused.length,
    message: `Deleted ${unused.length} of ${images.length} images; the rest is in use.`,
  };
}

const formsOf = (image: ImageSpec, workspace: string): string[] =>
  image.tags.flatMap((tag) => referenceForms(image, tag.name, workspace));

async function lockImage(
  call: DeleteCall,
  type: string,
  name: string,
): Promise<{ readonly row: ResourceRow; readonly spec: ImageSpec }> {
  const stored = storedName(type, name);
  const row = await lockLive(call.tx, { workspaceId: call.workspace.id, kind: imageKind }, stored);
  if (row === undefined) throw requestErrors.not_found();
  call.target(`${imageKind}/${stored}`);
  return { row, spec: ImageSpec.parse(row.spec) };
}

async function requireUnused({ tx, workspace }: DeleteCall, image: ImageSpec, tags: readonly string[]): Promise<void> {
  const forms = new Map(
    tags.flatMap((tag) => referenceForms(image, tag, workspace.name).map((form) => [form, tag] as const)),
  );
  const [used] = await usersOf(tx, workspace.id, [...forms.keys()]);
  if (used === undefined) return;
  const [form, user] = used;
  throw imageErrors.image_in_use({ image: workloadReference(image, forms.get(form) ?? ''), user });
}

async function remove({ tx, workspace, beforeCommit }: DeleteCall, uids: readonly string[]): Promise<void> {
  if (uids.length === 0) return;
  await tx
    .deleteFrom('resources')
    .where('uid', 'in', [...uids])
    .execute();
  const held = { workspaceId: workspace.id, kind: imageKind, accountId: workspace.account.id, resourceType: 'images' };
  beforeCommit(() => releaseQuotaAndCount(tx, { ...held, amount: uids.length }));
}
