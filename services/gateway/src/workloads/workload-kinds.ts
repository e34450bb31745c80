// The kinds that the gateway serves.
import { agentKind } from './agent.ts';
import { functionKind } from './function.ts';
import { sandboxKind } from './sandbox.ts';
import type { ServedKind } from './workload.ts';
import type { TimeoutSettings, Timeouts, WorkloadKind } from './workload-kind.ts';

export const workloadKinds: Readonly<Record<ServedKind, WorkloadKind>> = {
  agent: agentKind,
  function: functionKind,
  sandbox: sandboxKind,
};

export const timeoutsByKind = (settings: TimeoutSettings): Readonly<Record<ServedKind, Timeouts>> => ({
  agent: agentKind.timeouts(settings),
  function: functionKind.timeouts(settings),
  sandbox: sandboxKind.timeouts(settings),
});
