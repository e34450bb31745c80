// Drive. Specification: Drive; control-plane sheet 3.6, 7 (37).
import { drive } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { resolveRegion, withoutAuto } from '../rules/regions.ts';

export const driveRules: KindRules = {
  kind: drive,
  normalize: withoutAuto,
  async beforeCreate(context, draft) {
    await resolveRegion(context, draft);
    draft.spec = { ...draft.spec, infrastructureId: `drv-${draft.uid.slice(-12)}` };
  },
  render: {
    one: (rendered, { name }, { dependencies }) => ({
      ...rendered,
      metadata: { ...rendered.metadata, url: `${dependencies.baseUrl}/drives/${name}` },
    }),
  },
};
