import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract';

interface OfSandbox {
  readonly instance: string;
}

/** What the api may ask of this runner at once. */
export interface RunnerCalls {
  adopt(desired: DesiredInstance): Promise<RunnerCallAnswer>;
  wake(sandbox: OfSandbox): Promise<RunnerCallAnswer>;
  sleep(sandbox: OfSandbox): Promise<RunnerCallAnswer>;
}
