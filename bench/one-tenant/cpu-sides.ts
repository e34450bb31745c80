import { cpus } from 'node:os';
import { cpuTimeUs } from '../gateway/cpu-time.ts';
import type { TwoAccounts } from './two-accounts.ts';

type Sides = Readonly<Record<string, number>>;

/** CPU milliseconds so far of each platform process, of the attacker's programs and of the measuring process. */
function sidesOf({ fleet, machine }: TwoAccounts, attackers: readonly number[]): Sides {
  const ms = (...pids: number[]): number => cpuTimeUs(pids) / 1_000;
  const own = process.cpuUsage();
  return {
    api: ms(fleet.api.pid),
    orchestrator: ms(fleet.orchestrator.pid),
    gateway: ms(...fleet.gateways.map(({ process: { pid } }) => pid)),
    runner: ms(machine.runner.pid),
    postgres: ms(fleet.postgres.pid()),
    restate: ms(fleet.restate.pid()),
    clickhouse: ms(fleet.clickhouse.pid()),
    attacker: ms(...attackers),
    measuring: (own.user + own.system) / 1_000,
    all: cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0),
  };
}

/** CPU milliseconds per second. `rest` is Docker, the containers, the kernel and everything else on the machine. */
export async function watchCpu<Result>(
  accounts: TwoAccounts,
  attackers: readonly number[],
  work: () => Promise<Result>,
): Promise<{ result: Result; perSecond: Sides }> {
  const before = sidesOf(accounts, attackers);
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = sidesOf(accounts, attackers);
  const spent = Object.entries(after).map(
    ([side, ms]) => [side, Math.round((ms - (before[side] ?? 0)) / seconds)] as const,
  );
  const known = spent.reduce((sum, [side, ms]) => (side === 'all' ? sum : sum + ms), 0);
  const { all = Number.NaN, ...sides } = Object.fromEntries(spent);
  return { result, perSecond: { ...sides, rest: all - known, all } };
}
