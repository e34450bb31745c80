export { OrchestratorConfig } from './config.ts';
export { type OrchestratorOptions, type RunningOrchestrator, startOrchestrator } from './start-orchestrator.ts';
