import { OrchestratorConfig } from '@berth/orchestrator';

export const orchestratorSection = OrchestratorConfig.prefault({});
