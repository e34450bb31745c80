// One machine, one gateway and two accounts: a greedy one, and a victim that works as usual.
import { join } from 'node:path';
import { buildImage } from '../../engines/build-image.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { addAccount, type FurtherAccount } from '../../tests/harness/tenant.ts';
import { agent, clientOf, settled } from '../../tests/harness/workloads.ts';
import { type Caller, HttpSender } from './http-sender.ts';
import { Victim } from './victim.ts';

export interface TwoAccounts extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly machine: Machine;
  readonly apiUrl: string;
  readonly victim: Victim;
  readonly greedy: FurtherAccount & { readonly caller: Caller };
  /** Calls the agent of the greedy account through the gateway. */
  callGreedyAgent(path: string): Promise<string>;
}

const greedyImage = 'berth-greedy:latest';
/** The lowest tier. It allows 50 instances; limits that it does not set are the built-in ones. */
const greedyTier = 'tier_0';
const addresses = { greedy: '203.0.113.1', victim: '198.51.100.1' };

/** Rate limits of a usual deployment; each account has its own client address. */
const settings = {
  BERTH_API_RATE_LIMITS_PER_KEY_PER_SECOND: '500',
  BERTH_GATEWAY_RATE_LIMITS_PER_KEY_PER_SECOND: '2000',
  BERTH_API_TRUSTED_PROXIES: '["127.0.0.1"]',
  BERTH_GATEWAY_TRUSTED_PROXIES: '["127.0.0.1"]',
};

export async function startTwoAccounts(quotas: Readonly<Record<string, number>>): Promise<TwoAccounts> {
  await using made = new AsyncDisposableStack();
  const fleet = made.use(
    await startFleet({ name: 'bench-one-tenant', workspaces: ['main'], machines: 1, gateways: 1, settings }),
  );
  const [machine] = fleet.machines;
  const [gateway] = fleet.gateways;
  if (machine === undefined || gateway === undefined) throw new Error('the fleet has no machine or no gateway');
  const client = clientOf(fleet);
  const account = await addAccount({ database: fleet.database, admin: client }, 'greedy');
  await fleet.database
    .updateTable('accounts')
    .set({ tier: greedyTier, quotas: JSON.stringify(quotas) })
    .where('id', '=', account.accountId)
    .execute();
  await buildImage(machine.dockerUrl, greedyImage, join(import.meta.dirname, 'image'));
  await client.post('/agents', agent('answering', { generation: 'mk2', maxScale: 1 }));
  await account.client.post(
    '/agents',
    agent('greedy', { image: greedyImage, generation: 'mk2', memory: 2_048, maxScale: 1 }),
  );
  await settled(client, '/agents/answering', ['DEPLOYED']);
  await settled(account.client, '/agents/greedy', ['DEPLOYED']);
  const callers = {
    victim: { key: fleet.key, workspace: 'main', address: addresses.victim },
    greedy: { key: account.key, workspace: account.workspace, address: addresses.greedy },
  };
  const [victim, greedy] = [new HttpSender(callers.victim), new HttpSender(callers.greedy)];
  for (const sender of [victim, greedy]) made.use(sender);
  const apiUrl = `${fleet.url}/v0`;
  const kept = made.move();
  return {
    fleet,
    machine,
    apiUrl,
    victim: new Victim({ sender: victim, apiUrl, callUrl: `${gateway.url}/main/agents/answering/` }),
    greedy: { ...account, caller: callers.greedy },
    async callGreedyAgent(path) {
      const { status, body } = await greedy.send('GET', `${gateway.url}/${account.workspace}/agents/greedy${path}`);
      if (status !== 200) throw new Error(`${path} of the greedy agent answered ${status}: ${body}`);
      return body;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
