// A stand-in for a runner that only sends usage: it joins a deployment and uses the runner's own client, and no container
// runs.
import { nodePaths, type UsageBatch } from '@berth/contract/node';
import { joinDeployment } from '../src/node/join-deployment.ts';
import { createNodeClient } from '../src/node/node-client.ts';

export interface UsageSender {
  readonly runnerId: string;
  /** Sends until the batch is acknowledged. Returns the number of tries. */
  send(batch: UsageBatch): Promise<number>;
  close(): void;
}

const maxTries = 2_000;
const retryMs = 50;

export async function joinAsUsageSender(apiUrl: string, joinToken: string): Promise<UsageSender> {
  const identity = await joinDeployment({ apiUrl, joinToken, name: 'usage-sender' });
  const client = createNodeClient(apiUrl, identity);
  return {
    runnerId: identity.runnerId,
    async send(batch) {
      for (let tries = 1; tries <= maxTries; tries += 1) {
        const status = await client.post(nodePaths.usage, batch).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) return tries;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
      throw new Error(`A batch of usage was not acknowledged in ${maxTries} tries.`);
    },
    close: () => client.close(),
  };
}
