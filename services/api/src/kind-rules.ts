// The rules of every kind. A kind without an entry is fully described by its declaration.
import { applicationRules } from './applications/rules.ts';
import { customDomainRules } from './domains/rules.ts';
import { driveRules } from './drives/rules.ts';
import { integrationConnectionRules } from './integrations/connection-rules.ts';
import { jobRules } from './jobs/rules.ts';
import { modelRules } from './models/rules.ts';
import { egressGatewayRules } from './network/egress-gateway-rules.ts';
import { egressIpRules } from './network/egress-ip-rules.ts';
import { vpcRules } from './network/vpc-rules.ts';
import { policyRules } from './policies/rules.ts';
import { previewRules } from './previews/rules.ts';
import type { KindRules } from './resources/rules.ts';
import { sandboxRules } from './sandboxes/rules.ts';
import { volumeTemplateRules } from './volumes/template-rules.ts';
import { volumeRules } from './volumes/volume-rules.ts';
import { agentRules } from './workloads/agent-rules.ts';
import { functionRules } from './workloads/function-rules.ts';

export const kindRules: readonly KindRules[] = [
  agentRules,
  sandboxRules,
  customDomainRules,
  applicationRules,
  driveRules,
  egressGatewayRules,
  egressIpRules,
  functionRules,
  integrationConnectionRules,
  jobRules,
  modelRules,
  policyRules,
  previewRules,
  volumeRules,
  volumeTemplateRules,
  vpcRules,
];
