import { requestEdge } from '../machine/edge-request.ts';
import { edgeAuthorities } from '../settings/edge-authorities.ts';
import { edgeHosts } from '../settings/edge-hosts.ts';
import type { Check, LookedAt } from './check.ts';

/** Caddy renews with a third of the life left, which is a month of the usual three. Its own certificates live for twelve hours. */
const leastDays = 7;

export const certificates: Check = {
  name: 'certificates',
  why: 'clients refuse a deployment without a valid certificate',
  when: 'running',
  needs: ['services'],
  async look(machine) {
    const { api, gateway } = edgeHosts(machine.choices);
    for (const host of new Set([api, gateway])) {
      const what = await problemOf(host, machine);
      if (what !== undefined)
        return {
          what,
          fix: 'docker restart berth-edge-1; docker logs --tail 30 berth-edge-1 says what the authority answers',
        };
    }
    return undefined;
  },
};

async function problemOf(host: string, { choices, places }: LookedAt): Promise<string | undefined> {
  try {
    const { certificate } = await requestEdge({
      url: `https://${host}/`,
      authorities: await edgeAuthorities({ places }),
    });
    const days = (Date.parse(certificate.valid_to) - Date.now()) / 86_400_000;
    const isRenewedLate = choices.domain !== undefined && choices.acmeCa === undefined && days < leastDays;
    return isRenewedLate
      ? `The certificate of ${host} ends in ${days.toFixed(1)} days and was not renewed.`
      : undefined;
  } catch (error) {
    return `https://${host} does not answer: ${error instanceof Error ? error.message : error}`;
  }
}
