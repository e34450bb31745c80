import { RunnerConfig } from '@berth/runner/config';

/** Without a default: the operator has to name the api that the machine belongs to. */
export const runnerSection = RunnerConfig;
