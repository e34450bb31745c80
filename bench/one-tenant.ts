// One account takes all it can get; another works as usual beside it. The other account's creates and calls must not
// take more than three times as long, and each refusal of the first account must name the limit that was reached.
import { bytesPerMb } from '@berth/contract/node';
import type { Bench, Measure } from './bench.ts';
import { busyShare } from './gateway/cpu-time.ts';
import { type Attack, unnamed } from './one-tenant/attack.ts';
import { manyConnections } from './one-tenant/attacks/connections.ts';
import { largeExecutions } from './one-tenant/attacks/executions.ts';
import { manyInstances } from './one-tenant/attacks/instances.ts';
import { outputFlood } from './one-tenant/attacks/output.ts';
import { manyResources } from './one-tenant/attacks/resources.ts';
import { deletionOfStored, listingsOfStored } from './one-tenant/attacks/stored-rows.ts';
import { watchCpu } from './one-tenant/cpu-sides.ts';
import { startTwoAccounts, type TwoAccounts } from './one-tenant/two-accounts.ts';
import { deeds, type Times } from './one-tenant/victim.ts';
import { median, quantile, rounded } from './support/statistics.ts';

/** The full size uses the built-in limits; the quick size uses smaller ones, so that they are reached in time. */
const sizes = {
  full: { seconds: 30, quotas: {}, executionBytes: 30 * bytesPerMb, stored: 1_000_000 },
  quick: {
    seconds: 12,
    quotas: { drives: 300, execution_bytes: 64 * bytesPerMb },
    executionBytes: 8 * bytesPerMb,
    stored: 20_000,
  },
};

export const oneTenant: Bench = {
  name: 'one-tenant',
  about:
    'p50 of what one account creates, deploys and calls while another asks for 10 000 instances, fills the database, floods the logs and opens 100 000 connections / the same while it is quiet',
  async *run({ full }) {
    const { seconds, quotas, executionBytes, stored } = full ? sizes.full : sizes.quick;
    await using accounts = await startTwoAccounts(quotas);
    // Other load on the machine slows both sides and hides the effect of the attacks: with
    // much of it the ratios mean little.
    yield { name: 'share of the machine that was busy before', value: await busyShare(2_000), unit: 'x' };
    // Code is compiled, and connections and plans are created, before anything is measured.
    await accounts.victim.measure(5);
    const attacks = [
      manyInstances,
      manyResources,
      largeExecutions(executionBytes),
      outputFlood,
      manyConnections,
      listingsOfStored(stored),
      // Last, because its work goes on for a long time after the measurement.
      deletionOfStored(stored),
    ];
    for (const attack of attacks) yield* measure(accounts, attack, seconds);
  },
};

async function* measure(accounts: TwoAccounts, attack: Attack, seconds: number): AsyncGenerator<Measure> {
  await attack.prepare?.(accounts);
  const quiet = await watchCpu(accounts, [], () => accounts.victim.measure(seconds));
  const underWay = await attack.begin(accounts);
  const attacked = await watchCpu(accounts, underWay.pids, () => accounts.victim.measure(seconds));
  const outcome = await underWay.end();
  for (const deed of deeds) yield compared(`${attack.name}: ${deed}`, quiet.result[deed], attacked.result[deed]);
  const { failures } = attacked.result;
  yield {
    name: `${attack.name}: what the other account was refused`,
    value: failures.length,
    unit: 'requests',
    bound: { atMost: 0 },
    detail: { ...(failures[0] === undefined ? {} : { first: failures[0] }) },
  };
  const wrong = unnamed(outcome);
  yield {
    name: `${attack.name}: refusals that do not name their limit`,
    value: wrong.length,
    unit: 'refusals',
    bound: { atMost: 0 },
    detail: {
      ...outcome.detail,
      refusals: outcome.refusals.join(' | '),
      ...(wrong[0] && { wrong: wrong.join(' | ') }),
    },
  };
  yield {
    name: `${attack.name}: CPU of the machine`,
    value: attacked.perSecond.all ?? Number.NaN,
    unit: 'ms CPU per s',
    detail: { ...attacked.perSecond, quiet: quiet.perSecond.all ?? Number.NaN },
  };
}

function compared(name: string, quiet: Times['create'], attacked: Times['create']): Measure {
  return {
    name: `${name}, p50 under attack / quiet`,
    value: median(attacked) / median(quiet),
    unit: 'x',
    bound: { atMost: 3 },
    detail: {
      quietMs: rounded(median(quiet)),
      attackMs: rounded(median(attacked)),
      quietP99Ms: rounded(quantile(quiet, 0.99)),
      attackP99Ms: rounded(quantile(attacked, 0.99)),
      quietCount: quiet.length,
      attackCount: attacked.length,
    },
  };
}
