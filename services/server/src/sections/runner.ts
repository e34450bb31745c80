import { RunnerConfig } from '@berth/runner/config';

/** Without a default: which api a machine belongs to is for its operator to say. */
export const runnerSection = RunnerConfig;
