// Registers an image that was built elsewhere: each registered reference is one tag of the workspace's image.
import { type ImageInput, requestErrors, resourceErrors } from '@berth/contract';
import { addToCount, uuidv7 } from '@berth/database';
import { seal } from '@berth/identity';
import { chooseImage, imageTypeOf } from '@berth/instances';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { WriteCall } from '../http/call.ts';
import { reserve } from '../resources/quota.ts';
import { lockLive, type ResourceRow } from '../resources/record.ts';
import { searchText } from '../resources/search-text.ts';
import { requireAllowedRegistry } from './allowed-registries.ts';
import { imageErrors } from './errors.ts';
import { ImageSpec, imageKind, storedName, type Tag, workloadReference } from './record.ts';
import { parseReference, type Registrable } from './reference.ts';

type RegisterCall = Omit<WriteCall, 'operation' | 'params' | 'query' | 'body'>;
type Input = z.output<typeof ImageInput>;

const maxTags = 1000;

export async function registerImage(call: RegisterCall, input: Input, upload: boolean): Promise<unknown> {
  if (upload) throw resourceErrors.upload_unavailable();
  if (input.image === undefined) throw imageErrors.build_unavailable();
  const { tag } = outsideReference(call, input.image);
  const name = storedName(input.resourceType, input.name);
  const { now } = call.dependencies;
  const at = new Date(now()).toISOString();
  const added: Tag = { name: tag, reference: input.image, createdAt: at, updatedAt: at };
  const scope = { workspaceId: call.workspace.id, kind: imageKind };
  call.target(`${imageKind}/${name}`);
  const known = await lockLive(call.tx, scope, name);
  if (known !== undefined) await addTag(call, known, added, input);
  else if (!(await insert(call, name, added, input))) {
    // A concurrent request registered the image first, so its row exists now.
    const made = await lockLive(call.tx, scope, name);
    if (made === undefined) throw requestErrors.unavailable();
    await addTag(call, made, added, input);
  }
  const image = workloadReference(input, tag);
  return {
    message: `Registered. Workloads name it ${image}.`,
    name: input.name,
    resourceType: input.resourceType,
    image,
    // Images are used as they are; nothing is built.
    build: false,
  };
}

/** Requires a reference outside this service: a reference to one of our own names could point back to itself. */
function outsideReference({ dependencies, workspace }: RegisterCall, text: string): Registrable {
  const { config, placement } = dependencies;
  const reference = parseReference(text);
  if (reference === undefined) throw imageErrors.invalid_reference();
  const [segment = '', ...rest] = reference.registry === undefined ? reference.path.split('/') : [];
  const isOurs = segment === config.brand.short || segment === workspace.name || imageTypeOf(segment) !== undefined;
  if (rest.length > 0 && isOurs) throw imageErrors.not_an_outside_image({ segment });
  const named = { named: text, workspace: workspace.name, registered: undefined };
  const choice = chooseImage(named, { placement, brand: config.brand });
  if ('fault' in choice) throw imageErrors.image_reserved({ field: 'image', image: text });
  if (choice.source.origin === 'outside') requireAllowedRegistry(reference, 'image', config);
  return reference;
}

async function insert(call: RegisterCall, name: string, tag: Tag, input: Input): Promise<boolean> {
  const { tx, workspace, principal } = call;
  const uid = uuidv7();
  const spec: ImageSpec = {
    resourceType: input.resourceType,
    name: input.name,
    tags: [tag],
    ...(await sealedConfig(call, uid, input)),
  };
  const inserted = await tx
    .insertInto('resources')
    .values({
      uid,
      workspace_id: workspace.id,
      kind: imageKind,
      name,
      spec: JSON.stringify(spec),
      created_by: principal.subject,
      updated_by: principal.subject,
      search: searchText({ name, displayName: undefined, labels: undefined }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('uid')
    .executeTakeFirst();
  if (inserted === undefined) return false;
  call.beforeCommit(async () => {
    await reserve(call, 'images');
    await addToCount(tx, { workspaceId: workspace.id, kind: imageKind }, 1);
  });
  return true;
}

/** A tag registered again points to the new reference and keeps its creation time. */
async function addTag(call: RegisterCall, row: ResourceRow, tag: Tag, input: Input): Promise<void> {
  const spec = ImageSpec.parse(row.spec);
  const createdAt = spec.tags.find(({ name }) => name === tag.name)?.createdAt ?? tag.createdAt;
  const others = spec.tags.filter(({ name }) => name !== tag.name);
  if (others.length >= maxTags) throw imageErrors.too_many_tags({ limit: maxTags });
  const tags = [{ ...tag, createdAt }, ...others];
  await saveSpec(call, row.uid, { ...spec, ...(await sealedConfig(call, row.uid, input)), tags });
}

export async function saveSpec(
  { tx, principal }: Pick<WriteCall, 'tx' | 'principal'>,
  uid: string,
  spec: ImageSpec,
): Promise<void> {
  await tx
    .updateTable('resources')
    .set({
      spec: JSON.stringify(spec),
      updated_at: sql<Date>`clock_timestamp()`,
      updated_by: principal.subject,
      generation: sql<number>`generation + 1`,
    })
    .where('uid', '=', uid)
    .execute();
}

async function sealedConfig(
  { tx, workspace, dependencies }: RegisterCall,
  uid: string,
  { dockerConfig }: Input,
): Promise<Pick<ImageSpec, 'dockerConfig'>> {
  if (dockerConfig === undefined) return {};
  const key = await dependencies.keyring.workspaceKey(tx, workspace.id);
  return { dockerConfig: { $sealed: seal(key, dockerConfig, `resource ${uid}`) } };
}
