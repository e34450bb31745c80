import { OrchestratorConfig } from '@berth/orchestrator/config';

export const orchestratorSection = OrchestratorConfig.prefault({});
