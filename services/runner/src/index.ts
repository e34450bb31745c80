export { RunnerConfig } from './config.ts';
export { inspectMachine, type NamedProblem } from './inspect-machine.ts';
export { obtainIdentity } from './node/obtain-identity.ts';
export { type RemovedFromMachine, removeFromMachine } from './remove-from-machine.ts';
export { type RunnerOptions, type RunningRunner, startRunner } from './start-runner.ts';
