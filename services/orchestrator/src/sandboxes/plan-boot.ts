// Plans a sandbox that has not ended: the one instance of its wanted boot, and the status that follows from it.
import { deployedMessage } from '@berth/instances';
import type { StatusEvent } from '../run/status-event.ts';
import type { ObservedSandbox, SandboxAction, SandboxInstance } from './observed.ts';
import { runningInstances } from './running-instances.ts';

export function planBoot(observed: ObservedSandbox): readonly SandboxAction[] {
  const { boot, isEnabled } = observed;
  const running = runningInstances(observed);
  const current = running.find((instance) => instance.boot === boot.id);
  const others = running.filter((instance) => instance !== current).map(({ id }) => id);
  const actions = isEnabled ? planEnabled(observed, current) : changeStatus(observed, disabledEvent);
  const isSettled = current?.readyAt !== undefined || current?.state === 'failed' || actions.some(saysFailed);
  return [
    ...(others.length === 0 ? [] : [{ do: 'retire' as const, instances: others }]),
    ...(isSettled ? recordBoot(observed, actions) : []),
    ...actions,
  ];
}

/**
 * DEPLOYED implies that boot 1 came up. It is stored only when the status changes, so a claimed sandbox needs no write.
 */
const lastSettledBoot = ({ settledBoot, status }: ObservedSandbox): number =>
  Math.max(settledBoot, status === 'DEPLOYED' ? 1 : 0);

function recordBoot(observed: ObservedSandbox, actions: readonly SandboxAction[]): readonly SandboxAction[] {
  const { boot, settledBoot } = observed;
  const written = actions.some((action) => action.do === 'change-status') ? settledBoot : lastSettledBoot(observed);
  return boot.number > written ? [{ do: 'record-boot', boot: boot.number }] : [];
}

const saysFailed = (action: SandboxAction): boolean =>
  action.do === 'change-status' && action.event.status === 'FAILED';

/** A disabled sandbox keeps its instance and its contents; it only accepts no connections. */
const disabledEvent: StatusEvent = {
  type: 'deactivation',
  status: 'DEACTIVATED',
  message: 'Not enabled; it takes no connections.',
};

function planEnabled(observed: ObservedSandbox, current: SandboxInstance | undefined): readonly SandboxAction[] {
  if (current === undefined) return planMissing(observed);
  if (current.state === 'failed') {
    const retire: SandboxAction = { do: 'retire', instances: [current.id] };
    return [retire, ...fail(observed, current.message ?? 'It did not start, and did not say why.')];
  }
  if (current.runnerLostSince !== undefined) return planRunnerLost(observed, current, current.runnerLostSince);
  if (current.state !== 'ready') return progress(observed, current);
  return [...changeStatus(observed, deployed(current)), ...recovery(observed)];
}

/** No instance of the wanted boot is running: the boot has not started yet, or it ran and is lost. */
function planMissing(observed: ObservedSandbox): readonly SandboxAction[] {
  const { boot, fault, instances } = observed;
  if (boot.number > lastSettledBoot(observed)) {
    if (fault !== undefined) return fail(observed, fault);
    const event: StatusEvent = { type: 'deployment', status: 'DEPLOYING', message: 'Waiting for a runner.' };
    return [...changeStatus(observed, event), { do: 'start' }];
  }
  if (observed.status === 'FAILED') return [];
  const ended = instances.find(({ boot: of, endedAt }) => of === boot.id && endedAt !== undefined);
  return fail(observed, ended?.message ?? runnerRemovedMessage);
}

const runnerRemovedMessage =
  'The machine that it was on no longer belongs to this deployment, and what was in it is lost. Create it again.';

/** The sandbox is unreachable, but not lost: a runner that returns continues with it. */
function planRunnerLost(observed: ObservedSandbox, { id }: SandboxInstance, since: number): readonly SandboxAction[] {
  const { now, lostAfterMs, status } = observed;
  const silence = `Its machine has not been heard from since ${new Date(since).toISOString()}`;
  if (now - since >= lostAfterMs) {
    const message = `${silence}, and is not waited for any longer; what was in it is lost. Create it again.`;
    return [{ do: 'end-lost', instance: id, message }, ...fail(observed, message)];
  }
  const message = `${silence}; it cannot be reached until the machine is back.`;
  return note(observed, { type: 'infrastructure', status, message });
}

function fail(observed: ObservedSandbox, message: string): readonly SandboxAction[] {
  const type = observed.status === 'DEPLOYING' ? 'deployment' : 'infrastructure';
  return changeStatus(observed, { type, status: 'FAILED', message });
}

const deployed = ({ isolation }: SandboxInstance): StatusEvent => ({
  type: 'deployment',
  status: 'DEPLOYED',
  message: deployedMessage(isolation),
});

/** A sandbox that is enabled again goes through DEPLOYING before any other status. */
function changeStatus({ status }: ObservedSandbox, event: StatusEvent): readonly SandboxAction[] {
  if (status === event.status) return [];
  const isSwitchedOn = status === 'DEACTIVATED' && event.status !== 'DEPLOYING';
  const announced: StatusEvent = { type: 'deployment', status: 'DEPLOYING', message: 'Enabled again.' };
  return [...(isSwitchedOn ? [announced] : []), event].map((said) => ({ do: 'change-status', event: said }));
}

/**
 * Notes pull progress, and what a deployed sandbox lost when it is started again, for example
 * after a reboot of its machine.
 */
function progress(observed: ObservedSandbox, { message, state }: SandboxInstance): readonly SandboxAction[] {
  const { status } = observed;
  const isTold = (state === 'pulling' && status === 'DEPLOYING') || (state === 'starting' && status === 'DEPLOYED');
  return message === undefined || !isTold ? [] : note(observed, { type: 'deployment', status, message });
}

const recovery = (observed: ObservedSandbox): readonly SandboxAction[] =>
  observed.status === 'DEPLOYED' && observed.newestEvent?.type === 'infrastructure'
    ? note(observed, { type: 'infrastructure', status: 'DEPLOYED', message: 'Its machine is back.' })
    : [];

const note = ({ newestEvent }: ObservedSandbox, event: StatusEvent): readonly SandboxAction[] =>
  newestEvent?.message === event.message ? [] : [{ do: 'add-event', event }];
