export { RunnerConfig } from './config.ts';
export { type RunnerOptions, type RunningRunner, startRunner } from './start-runner.ts';
