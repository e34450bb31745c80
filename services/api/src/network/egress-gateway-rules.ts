// Egress gateway. Control-plane sheet 2.14, 4.9.
import { egressGateway, resourceErrors } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { lockParent } from '../rules/references.ts';
import { resolveRegion, withoutAuto } from '../rules/regions.ts';
import { findSandboxIn } from './find-sandbox.ts';

export const egressGatewayRules: KindRules = {
  kind: egressGateway,
  normalize: withoutAuto,
  async beforeCreate(context, draft) {
    await lockParent(context);
    await resolveRegion(context, draft);
  },
  async beforeDelete({ tx, workspace, parents }, { name }) {
    const vpc = parents[0]?.name ?? '';
    const sandbox = await findSandboxIn(tx, workspace.id, { vpc, gateway: name });
    if (sandbox !== undefined)
      throw resourceErrors.in_use({ kind: 'egress gateway', name, users: `the sandbox ${sandbox}` });
  },
  render: {
    one: (rendered, _row, { parents: [vpc] }) => ({
      ...rendered,
      metadata: { ...rendered.metadata, vpcName: vpc?.name },
    }),
  },
};
