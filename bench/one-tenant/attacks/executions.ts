// Attack: a loop of large executions.
import { bytesPerMb } from '@berth/contract/node';
import { type Attack, limitsOfRequests } from '../attack.ts';
import { startLoad } from '../start-load.ts';

const job = 'loop';

export const largeExecutions = (taskBytes: number): Attack => ({
  name: `executions of ${Math.round(taskBytes / bytesPerMb)} MiB`,
  async prepare({ greedy: { client } }) {
    const { status, text } = await client.post('/jobs', { metadata: { name: job }, spec: {} });
    if (status !== 200) throw new Error(`no job: ${text}`);
  },
  async begin(accounts) {
    const load = startLoad(accounts, {
      atATime: 8,
      refusalWithinSeconds: 120,
      requests: [{ method: 'POST', path: `/jobs/${job}/executions`, taskBytes }],
    });
    return {
      pids: [load.pid],
      async end() {
        const { statuses, refusals } = await load.end();
        await accounts.greedy.client.delete(`/jobs/${job}`);
        return {
          refusals: Object.values(refusals),
          expected: [/account limit of \d+ for execution_bytes/],
          possible: limitsOfRequests,
          detail: statuses,
        };
      },
    };
  },
});
