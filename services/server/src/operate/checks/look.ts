// Looks at a machine by all checks of a moment.
import { Fault } from '../machine/fault.ts';
import type { Check, LookedAt, LookedAtMachine, LookedAtRunner, Moment, NamedFinding } from './check.ts';
import { checks } from './registry.ts';
import { runnerFindings } from './runner-machine.ts';
import { runnerChecks } from './runner-registry.ts';

export interface LookResult {
  readonly findings: readonly NamedFinding[];
  /** Names of the checks that found nothing. */
  readonly passed: readonly string[];
  /** Names of those that would only repeat what another has found. */
  readonly leftOut: readonly string[];
}

export const lookAt = (machine: LookedAt, moment: Moment): Promise<LookResult> => lookBy(checks, machine, moment);

/** Looks at a machine with a runner alone. */
export const lookAtRunner = (machine: LookedAtRunner, moment: Moment): Promise<LookResult> =>
  lookBy(runnerChecks, machine, moment);

async function lookBy<Machine extends LookedAtMachine>(
  all: readonly Check<Machine>[],
  machine: Machine,
  moment: Moment,
): Promise<LookResult> {
  const chosen = all.filter(({ when }) => when === 'both' || when === moment);
  return lookInOrder(chosen, machine, await runnerFindings(machine, moment));
}

/** `earlier` are findings of other origin, which count as causes too. */
export async function lookInOrder<Machine extends LookedAtMachine>(
  chosen: readonly Check<Machine>[],
  machine: Machine,
  earlier: readonly NamedFinding[],
): Promise<LookResult> {
  const findings = [...earlier];
  const passed: string[] = [];
  const leftOut: string[] = [];
  for (const check of chosen) {
    const failed = [...findings.filter(({ isWarning }) => !isWarning).map(({ name }) => name), ...leftOut];
    if (check.needs?.some((name) => failed.includes(name))) {
      leftOut.push(check.name);
      continue;
    }
    const finding = await findingOf(check, machine);
    if (finding === undefined) passed.push(check.name);
    else findings.push(finding);
  }
  return { findings, passed, leftOut };
}

/** A check that cannot look has found something. */
async function findingOf<Machine extends LookedAtMachine>(
  check: Check<Machine>,
  machine: Machine,
): Promise<NamedFinding | undefined> {
  const { name } = check;
  try {
    const finding = await check.look(machine);
    return finding && { name, isWarning: false, ...finding };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const fix = error instanceof Fault ? error.fix : 'mend what the other checks name first';
    return { name, isWarning: false, what: `It could not be looked at: ${said}`, fix };
  }
}

export const describe = ({ name, what, fix, isWarning }: NamedFinding): string =>
  `${isWarning ? 'warning' : 'fault'}  ${name}: ${what}\n  FIX: ${fix}`;
