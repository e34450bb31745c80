// VPC. Control-plane sheet 4.9, 7 (32): a VPC in use cannot be deleted, and `default` never can.
import { resourceErrors, vpc } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { findSandboxIn } from './find-sandbox.ts';

export const defaultVpc = 'default';

export const vpcRules: KindRules = {
  kind: vpc,
  async beforeDelete({ tx, workspace }, { name }) {
    if (name === defaultVpc) throw kindErrors.default_vpc();
    const sandbox = await findSandboxIn(tx, workspace.id, { vpc: name });
    if (sandbox !== undefined) throw resourceErrors.in_use({ kind: 'vpc', name, users: `the sandbox ${sandbox}` });
  },
};
