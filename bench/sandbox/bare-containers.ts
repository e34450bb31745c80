// The reference for a sandbox: containers of the same image by Docker alone, on a user bridge.
import { randomBytes } from 'node:crypto';
import type { IsolationClass } from '@berth/contract/node';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { timedMs } from '../support/statistics.ts';

const Created = z.object({ Id: z.string() });

export interface BareContainers {
  /** Milliseconds of create and start; the container is removed afterwards. */
  bringUp(): Promise<number>;
}

export async function openBareSandboxes(
  { dockerUrl }: Machine,
  image: string,
  isolation: IsolationClass,
): Promise<BareContainers> {
  const network = `bare-${randomBytes(4).toString('hex')}`;
  await callDocker(dockerUrl, 'POST /networks/create', {
    json: { Name: network, CheckDuplicate: true, Driver: 'bridge' },
  });
  const json = {
    Image: image,
    Cmd: ['sleep', '300'],
    HostConfig: { NetworkMode: network, Runtime: isolation === 'gvisor' ? 'runsc' : 'runc' },
  };
  return {
    async bringUp() {
      let id = '';
      const ms = await timedMs(async () => {
        const { body } = await callDocker(dockerUrl, 'POST /containers/create', { json });
        id = Created.parse(JSON.parse(body.toString())).Id;
        await callDocker(dockerUrl, `POST /containers/${id}/start`);
      });
      await callDocker(dockerUrl, `DELETE /containers/${id}?force=1`);
      return ms;
    },
  };
}
