// All served kinds; a new kind takes one file and one line here.

import { agent } from './agent.ts';
import { application } from './application.ts';
import { customDomain } from './custom-domain.ts';
import { drive } from './drive.ts';
import { egressGateway } from './egress-gateway.ts';
import { egressIp } from './egress-ip.ts';
import { mcpFunction } from './function.ts';
import { integrationConnection } from './integration-connection.ts';
import { job } from './job.ts';
import type { Kind } from './kind.ts';
import { model } from './model.ts';
import { policy } from './policy.ts';
import { preview } from './preview.ts';
import { sandbox } from './sandbox.ts';
import { volume } from './volume.ts';
import { volumeTemplate } from './volume-template.ts';
import { vpc } from './vpc.ts';

export const kinds: readonly Kind[] = [
  agent,
  application,
  customDomain,
  drive,
  egressGateway,
  egressIp,
  mcpFunction,
  integrationConnection,
  job,
  model,
  policy,
  preview,
  sandbox,
  volume,
  volumeTemplate,
  vpc,
];
