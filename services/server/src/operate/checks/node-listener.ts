import { accepts } from '../machine/accepts.ts';
import type { Check, LookedAtRunner } from './check.ts';

export const nodeListener: Check<LookedAtRunner> = {
  name: 'node-listener',
  why: 'the runner gets its work from the api, and reports to it',
  when: 'both',
  async look({ choices: { nodeUrl } }) {
    if (await accepts(nodeUrl)) return undefined;
    return {
      what: `${nodeUrl} does not answer.`,
      fix: `on the first machine run: berth-server up --runners; and let this machine reach ${new URL(nodeUrl).host} by TCP`,
    };
  },
};
