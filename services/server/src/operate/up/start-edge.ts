import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { requestEdge } from '../machine/edge-request.ts';
import { Fault } from '../machine/fault.ts';
import { waitUntil } from '../machine/wait-until.ts';
import { edgeAuthorities } from '../settings/edge-authorities.ts';
import { edgeHosts } from '../settings/edge-hosts.ts';
import type { Step } from '../steps/run-steps.ts';
import { runsAsWanted, startServices } from './compose.ts';
import type { UpContext } from './up-context.ts';

/** An authority looks at each name from outside before it signs. */
const certificateSeconds = 120;

export const startEdge: Step<UpContext> = {
  name: 'edge',
  isDone: async (context) =>
    (await runsAsWanted(context, ['edge'], 'BERTH_EDGE_STATE')) &&
    (await bothAnswer(context).then(
      () => true,
      () => false,
    )),
  async run(context) {
    await mkdir(join(context.places.data, 'caddy'), { recursive: true });
    await startServices(context, ['edge']);
    await waitUntil(certificateSeconds, () => bothAnswer(context));
    return `https://${edgeHosts(context.choices).api}`;
  },
};

/** Over TLS, with a certificate for the name. */
async function bothAnswer(context: UpContext): Promise<void> {
  const { api, gateway } = edgeHosts(context.choices);
  await reach(context, `https://${api}/.well-known/berth`);
  await reach(context, `https://${gateway}/`);
}

async function reach(context: UpContext, url: string): Promise<void> {
  const { choices } = context;
  try {
    const { status, body } = await requestEdge({ url, authorities: await edgeAuthorities(context) });
    if (status >= 500) throw new Error(`It answers ${status}: ${body.slice(0, 300)}`);
  } catch (cause) {
    const { hostname } = new URL(url);
    const dns =
      choices.domain === undefined ? '' : `; does ${hostname} lead to this machine, with ports 80 and 443 open?`;
    throw new Fault(`${url} does not answer over TLS.`, `docker logs --tail 30 berth-edge-1${dns}`, { cause });
  }
}
