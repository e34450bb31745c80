// Preview. Control-plane sheet 1.8, 2.9, 4.8; sandbox sheet 5.8.
import { preview, requestErrors } from '@berth/contract';
import { type JsonObject, liveResource } from '@berth/database';
import { publicUrl } from '../http/public-url.ts';
import { lockLive, type ResourceRow, resourceColumns } from '../resources/record.ts';
import type { Rendered, View } from '../resources/render.ts';
import type { KindRules, RuleContext } from '../resources/rules.ts';
import { section, textOf } from '../rules/spec-fields.ts';
import { claimHost } from './claim-host.ts';
import { previewErrors } from './errors.ts';
import { previewEndsAtMs } from './preview-end.ts';
import { type PreviewHost, previewHostName } from './preview-hosts.ts';
import { removeEndedPreviews, removePreviews } from './remove-previews.ts';

export const previewRules: KindRules = {
  kind: preview,
  normalize: withoutEmpty,
  onNameTaken: removeConflicting,
  async beforeCreate(context, draft) {
    check(context, draft.spec, context.dependencies.now());
    await lockSandbox(context);
    const sandbox = context.parents.at(-1);
    if (sandbox !== undefined) await removeEndedPreviews(context.tx, sandbox.uid);
  },
  async afterCreate(context, row) {
    const host = await claimHost(context, row);
    notifyGateways(context);
    return context.tx
      .updateTable('resources')
      .set({ state: JSON.stringify(stateOf(host)), expires_at: endOf(row.spec, row) })
      .where('uid', '=', row.uid)
      .returning(resourceColumns)
      .executeTakeFirstOrThrow();
  },
  async beforeReplace(context, draft, previous) {
    check(context, draft.spec, previous.created_at.getTime());
    notifyGateways(context);
    const expires_at = endOf(draft.spec, previous);
    await context.tx.updateTable('resources').set({ expires_at }).where('uid', '=', previous.uid).execute();
    const moves = ['prefixUrl', 'customDomain'].some((field) => draft.spec[field] !== previous.spec[field]);
    if (!moves) return;
    await context.tx.deleteFrom('preview_hosts').where('preview_uid', '=', previous.uid).execute();
    draft.state = stateOf(await claimHost(context, draft));
  },
  async beforeDelete(context) {
    notifyGateways(context);
  },
  render: { one: showAddress },
};

/** With `force`, removes the existing preview of the same name, which has the same address. */
async function removeConflicting({ tx, workspace, parents, query }: RuleContext, name: string): Promise<undefined> {
  const sandbox = parents.at(-1);
  if (query.force !== true || sandbox === undefined) return;
  const row = await lockLive(tx, { workspaceId: workspace.id, kind: 'preview', parentUid: sandbox.uid }, name);
  if (row !== undefined) await removePreviews(tx, [row.uid]);
}

const clearable = ['customDomain', 'expires', 'prefixUrl', 'ttl'];

/** An empty string clears a setting, like null. */
function withoutEmpty(spec: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [field, clearable.includes(field) && value === '' ? null : value]),
  );
}

function check({ dependencies: { config, now } }: RuleContext, spec: JsonObject, createdAtMs: number): void {
  const ours = `x-${config.brand.long}-`.toLowerCase();
  // Many servers treat an underscore in a header name as a hyphen.
  for (const field of ['requestHeaders', 'responseHeaders'])
    for (const name of Object.keys(section(spec, field)))
      if (name.toLowerCase().replaceAll('_', '-').startsWith(ours))
        throw previewErrors.preview_header_reserved({ field: `spec.${field}`, name });
  const endMs = previewEndsAtMs(spec, createdAtMs);
  if (endMs !== undefined && endMs <= now()) throw previewErrors.preview_over({ at: new Date(endMs).toISOString() });
}

/**
 * Locks the sandbox against a concurrent termination: that transaction waits for ours and then removes this preview
 * too.
 */
async function lockSandbox({ tx, parents }: RuleContext): Promise<void> {
  const locked = await tx
    .selectFrom('resources')
    .select('uid')
    .where('uid', '=', parents.at(-1)?.uid ?? '')
    .where(liveResource())
    .forShare()
    .executeTakeFirst();
  if (locked === undefined) throw requestErrors.not_found();
}

const stateOf = ({ region, label }: PreviewHost): JsonObject => ({ hostRegion: region, hostLabel: label });

const endOf = (spec: JsonObject, { created_at }: ResourceRow): Date | null => {
  const endMs = previewEndsAtMs(spec, created_at.getTime());
  return endMs === undefined ? null : new Date(endMs);
};

/** Gateways find a preview by the uid of its sandbox. */
function notifyGateways({ parents, dependencies, afterCommit }: RuleContext): void {
  const sandbox = parents.at(-1);
  if (sandbox !== undefined) afterCommit(() => dependencies.notifyRoutes(sandbox.uid));
}

function showAddress(
  rendered: Rendered,
  { state }: ResourceRow,
  { parents: [sandbox], dependencies: { config } }: View,
): Rendered {
  const host = { region: textOf(state?.hostRegion) ?? '', label: textOf(state?.hostLabel) ?? '' };
  const region = textOf(section(sandbox?.spec).region);
  return {
    ...rendered,
    metadata: { ...rendered.metadata, resourceName: sandbox?.name, resourceType: 'sandbox' },
    spec: {
      ...rendered.spec,
      ...(region === undefined ? {} : { region }),
      url: publicUrl(previewHostName(host, config.workloadDomain), config),
    },
  };
}
