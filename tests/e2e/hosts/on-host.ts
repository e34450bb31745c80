// What a test looks at on a virtual machine, and how it speaks to sandboxes there.
import { z } from 'zod';
import type { Fleet } from '../../../scripts/engines/fleet/fleet.ts';
import type { VirtualHost } from '../../../scripts/engines/virtual-host/virtual-host.ts';
import { instancesOf } from '../../support/workloads.ts';

const Ran = z.object({ logs: z.string() });

export class GuestCaller {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(fleet: Fleet, workspace: string, name: string) {
    this.#url = `${fleet.gateways[0]?.url}/${workspace}/sandboxes/${name}`;
    this.#headers = { authorization: `Bearer ${fleet.key}`, 'content-type': 'application/json' };
  }

  /** What the command prints. */
  async exec(command: string): Promise<string> {
    return Ran.parse(await this.#process({ command, waitForCompletion: true, timeout: 300 })).logs;
  }

  async start(command: string): Promise<void> {
    await this.#process({ command });
  }

  async #process(body: Readonly<Record<string, unknown>>): Promise<unknown> {
    const init = { method: 'POST', headers: this.#headers, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#url}/process`, init);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${this.#url}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}

/** The one that lives. */
export async function instanceOf(fleet: Fleet, name: string): Promise<string> {
  const [instance] = await instancesOf(fleet, name);
  if (instance === undefined) throw new Error(`${name} has no instance.`);
  return instance.id;
}

/** A file of the cgroup of an instance's container. */
export const groupFile = (host: VirtualHost, instance: string, file: string): Promise<string> =>
  host.run(
    `pid=$(docker inspect --format '{{.State.Pid}}' berth-${instance}) && cat "/sys/fs/cgroup$(cut -d: -f3 /proc/$pid/cgroup)/${file}"`,
  );
