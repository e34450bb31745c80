import { apiRole } from './api.ts';
import { gatewayRole } from './gateway.ts';
import { orchestratorRole } from './orchestrator.ts';
import { runnerRole } from './runner.ts';
import type { ServerRole } from './server-role.ts';

/** In start order: called services first, their callers last. They stop in reverse. */
export const roles: readonly ServerRole[] = [apiRole, orchestratorRole, runnerRole, gatewayRole];
