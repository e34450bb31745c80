import type { Role } from '../role.ts';
import { apiRole } from './api.ts';
import { gatewayRole } from './gateway.ts';
import { orchestratorRole } from './orchestrator.ts';
import { runnerRole } from './runner.ts';

/** In start order: what others call comes first, what calls others comes last, and stops first. */
export const roles: readonly Role[] = [apiRole, orchestratorRole, runnerRole, gatewayRole];
