import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract/node';

interface OfSandbox {
  readonly instance: string;
}

/** Calls of the api that this runner carries out at once. */
export interface RunnerCalls {
  adopt(desired: DesiredInstance): Promise<RunnerCallAnswer>;
  wake(sandbox: OfSandbox): Promise<RunnerCallAnswer>;
  sleep(sandbox: OfSandbox): Promise<RunnerCallAnswer>;
}
