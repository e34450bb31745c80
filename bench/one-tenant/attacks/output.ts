// Attack: a container prints without a pause.
import type { Attack } from '../attack.ts';
import { notesInOutput } from '../notes-in-output.ts';

export const outputFlood: Attack = {
  name: 'log flood',
  async begin(accounts) {
    await accounts.callGreedyAgent('/print');
    return {
      pids: [],
      async end() {
        const { printedMb } = JSON.parse(await accounts.callGreedyAgent('/calm'));
        const limit = /runner\.logBytesPerSecond/;
        const { notes, count } = await notesInOutput(accounts, limit);
        return { refusals: notes, expected: [limit], detail: { printedMb: Math.round(printedMb), notes: count } };
      },
    };
  },
};
