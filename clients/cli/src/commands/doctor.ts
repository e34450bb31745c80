// Finds out why the deployment does not answer as it should.
import type { Berth } from 'berth-sdk';
import type { Command } from '../command.ts';

interface Check {
  readonly name: string;
  /** Throws with what is wrong. */
  readonly look: (berth: Berth) => Promise<string>;
  readonly fix: string;
}

const checks: readonly Check[] = [
  {
    name: 'the deployment answers',
    look: async (berth) => (await berth.request('getDiscovery')).apiUrl,
    fix: 'Check the address, and whether the api runs: berth login --url <address> --key <key>',
  },
  {
    name: 'the key is valid',
    look: async (berth) => `${(await berth.request('listWorkspaces')).length} workspaces`,
    fix: 'Make a new key, and log in with it: berth login --url <address> --key <key>',
  },
  {
    name: 'a workspace is chosen',
    look: async (berth) => `${(await berth.request('listSandboxes')).data.length} sandboxes on the first page`,
    fix: 'Name one with --workspace, or log in with it: berth login … --workspace <name>',
  },
  {
    name: 'the gateway answers',
    async look(berth) {
      const address = await berth.gatewayUrl();
      const { status } = await fetch(`${address}/-/nothing`);
      return `${address} (${status})`;
    },
    fix: 'Set api.gatewayUrl to the address at which this machine reaches the gateway.',
  },
];

interface Found {
  readonly check: string;
  readonly isGood: boolean;
  readonly found: string;
  readonly fix?: string;
}

export const doctor: Command = {
  name: 'doctor',
  about: 'Checks the address, the key, the workspace and the gateway',
  async run({ berth, printer }) {
    const api = await berth();
    const results: Found[] = [];
    for (const { name, look, fix } of checks)
      results.push(
        await look(api).then(
          (found) => ({ check: name, isGood: true, found }),
          (error: unknown) => ({
            check: name,
            isGood: false,
            found: error instanceof Error ? error.message : String(error),
            fix,
          }),
        ),
      );
    printer.list(results, [
      { title: '', of: ({ isGood }) => (isGood ? 'ok' : 'FAILED') },
      { title: 'check', of: ({ check }) => check },
      { title: 'found', of: ({ found, fix }) => (fix === undefined ? found : `${found} FIX: ${fix}`) },
    ]);
    return results.every(({ isGood }) => isGood) ? 0 : 1;
  },
};
