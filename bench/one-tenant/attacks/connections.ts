// Attack: a container opens 100 000 connections to one outside address and holds them.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../../engines/free-port.ts';
import { Listener } from '../../../tests/harness/listener.ts';
import type { Attack } from '../attack.ts';
import { notesInOutput } from '../notes-in-output.ts';

const wanted = 100_000;
/** Address on this side of the machine's wire; a container reaches it as the internet. */
const outside = '12.34.56.79';
const program = join(import.meta.dirname, '../holding-listener.mjs');
const Counts = z.object({ dialled: z.number(), connected: z.number(), mostOpen: z.number(), refused: z.number() });

export const manyConnections: Attack = {
  name: `${wanted} connections`,
  async begin(accounts) {
    execFileSync('ip', ['addr', 'add', `${outside}/32`, 'dev', accounts.machine.wire]);
    // Several ports, because one source address has only some 28 000 ports to call one port from.
    const ports = await Promise.all(Array.from({ length: 5 }, () => freePort()));
    const listener = await Listener.start(program, ports);
    const query = new URLSearchParams({ host: outside, count: String(wanted) });
    for (const port of ports) query.append('port', String(port));
    await accounts.callGreedyAgent(`/dial?${query}`);
    return {
      pids: [],
      async end() {
        const { dialled, mostOpen, refused } = Counts.parse(JSON.parse(await accounts.callGreedyAgent('/calm')));
        listener.check();
        await listener[Symbol.asyncDispose]();
        const limit = /runner\.outgoing\.(newPerSecond|connections)/;
        const { notes } = await notesInOutput(accounts, limit);
        return { refusals: notes, expected: [limit], detail: { dialled, mostOpen, refused } };
      },
    };
  },
};
