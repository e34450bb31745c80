// Attack: as many small resources as the api accepts, with listings by a status that no resource has in between.
import { type Attack, limitsOfRequests } from '../attack.ts';
import { startLoad } from '../start-load.ts';

const image = 'berth-tiny:latest';

export const manyResources: Attack = {
  name: 'small resources',
  async begin(accounts) {
    const agent = JSON.stringify({ metadata: { name: 'small-#' }, spec: { enabled: false, runtime: { image } } });
    const drive = JSON.stringify({ metadata: { name: 'small-#' }, spec: {} });
    const load = startLoad(accounts, {
      atATime: 32,
      refusalWithinSeconds: 120,
      requests: [
        { method: 'POST', path: '/drives', body: drive },
        { method: 'POST', path: '/agents', body: agent },
        { method: 'POST', path: '/drives', body: drive },
        { method: 'GET', path: '/drives?status=FAILED' },
      ],
    });
    return {
      pids: [load.pid],
      async end() {
        const { statuses, refusals } = await load.end();
        return {
          refusals: Object.values(refusals),
          expected: [/account limit of \d+ for drives/],
          possible: [/account limit of \d+ for agents/, ...limitsOfRequests],
          detail: statuses,
        };
      },
    };
  },
};
