import type { FieldEffect } from './effect.ts';
import { jobEffects } from './job.ts';
import { modelEffects } from './model.ts';
import {
  customDomainEffects,
  egressGatewayEffects,
  integrationConnectionEffects,
  policyEffects,
  previewEffects,
  volumeTemplateEffects,
} from './others.ts';
import { sandboxEffects } from './sandbox.ts';
import { applicationEffects, driveEffects, egressIpEffects, volumeEffects } from './without-engine.ts';
import { agentEffects, functionEffects } from './workloads.ts';

/** Lists by name of the kind. */
export const fieldEffects: Readonly<Record<string, readonly FieldEffect[]>> = {
  agent: agentEffects,
  application: applicationEffects,
  customdomain: customDomainEffects,
  drive: driveEffects,
  egressgateway: egressGatewayEffects,
  egressip: egressIpEffects,
  function: functionEffects,
  integrationconnection: integrationConnectionEffects,
  job: jobEffects,
  model: modelEffects,
  policy: policyEffects,
  preview: previewEffects,
  sandbox: sandboxEffects,
  volume: volumeEffects,
  volumetemplate: volumeTemplateEffects,
  vpc: [],
};
