// Rules by kind. A kind without an entry is fully described by its declaration.

import type { KindRules } from '../resources/rules.ts';
import { agentRules } from './agent.ts';
import { applicationRules } from './application.ts';
import { customDomainRules } from './custom-domain.ts';
import { driveRules } from './drive.ts';
import { egressGatewayRules } from './egress-gateway.ts';
import { egressIpRules } from './egress-ip.ts';
import { functionRules } from './function.ts';
import { integrationConnectionRules } from './integration-connection.ts';
import { jobRules } from './job.ts';
import { modelRules } from './model.ts';
import { policyRules } from './policy.ts';
import { previewRules } from './preview.ts';
import { sandboxRules } from './sandbox.ts';
import { volumeRules } from './volume.ts';
import { volumeTemplateRules } from './volume-template.ts';
import { vpcRules } from './vpc.ts';

export const kindRules: Readonly<Record<string, KindRules>> = {
  agent: agentRules,
  sandbox: sandboxRules,
  customdomain: customDomainRules,
  application: applicationRules,
  drive: driveRules,
  egressgateway: egressGatewayRules,
  egressip: egressIpRules,
  function: functionRules,
  integrationconnection: integrationConnectionRules,
  job: jobRules,
  model: modelRules,
  policy: policyRules,
  preview: previewRules,
  volume: volumeRules,
  volumetemplate: volumeTemplateRules,
  vpc: vpcRules,
};
