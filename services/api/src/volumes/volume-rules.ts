// Volume. Specification: Volume; control-plane sheet 3.6, 7 (37).
import { resourceErrors, volume } from '@berth/contract';
import { limitOf } from '@berth/instances';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { requireRows } from '../rules/references.ts';
import { resolveRegion, withoutAuto } from '../rules/regions.ts';
import { numberOf, textOf, without } from '../rules/spec-fields.ts';
import { findVersion } from './template-versions.ts';

const defaultSizeMb = 1024;

export const volumeRules: KindRules = {
  kind: volume,
  normalize: withoutAuto,
  async beforeCreate(context, draft) {
    await resolveRegion(context, draft);
    const templateSizeMb = await templateSize(context, draft);
    const size = numberOf(draft.spec.size) ?? templateSizeMb ?? defaultSizeMb;
    const limit = limitOf(context.workspace.account, context.dependencies.config, 'volume_size');
    if (size > limit) throw resourceErrors.quota_exceeded({ limit, resourceType: 'volume_size' });
    draft.spec = { ...draft.spec, size, infrastructureId: `vol-${draft.uid.slice(-12)}` };
  },
  async beforeDelete(_context, { name, state }) {
    const attachedTo = textOf(state?.attachedTo);
    if (attachedTo !== undefined) throw kindErrors.volume_attached({ name, attachedTo });
  },
  render: {
    // The volume is only reserved for a workload, not mounted, so the holder is hidden until there is storage.
    one: (rendered, { name, state }, { dependencies }) => ({
      ...rendered,
      state: without(state ?? {}, 'attachedTo'),
      metadata: { ...rendered.metadata, url: `${dependencies.baseUrl}/volumes/${name}` },
    }),
    /** Listed volumes show only a few fields. */
    page: async (_call, items) =>
      items.map(({ metadata, spec, ...rest }) => ({
        ...rest,
        metadata: pick(metadata, ['name', 'displayName', 'externalId', 'createdAt', 'updatedAt']),
        spec: pick(spec, ['region', 'size']),
      })),
  },
};

const pick = (node: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(node).filter(([name]) => names.includes(name)));

/**
 * Size of the referenced template version. The reference is `name:version`, `name:latest` or `name`, which means the
 * latest.
 */
async function templateSize(context: RuleContext, { spec }: Draft): Promise<number | undefined> {
  const reference = textOf(spec.template);
  if (reference === undefined) return undefined;
  const [name = '', version = 'latest'] = reference.split(':');
  const field = 'spec.template';
  const [template] = await requireRows(context, { kind: 'volumetemplate', field, names: [name] });
  if (template === undefined || findVersion(template.state, version) === undefined)
    throw resourceErrors.unknown_reference({ field, kind: 'volume template version', name: reference });
  return numberOf(template.spec.defaultSize);
}
