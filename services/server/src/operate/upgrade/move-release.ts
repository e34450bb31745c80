// Starts the switch in the program of the release that is to run. When it fails, the release before switches back.
import { join } from 'node:path';
import { type Installation, openInstallation } from '../install/installation.ts';
import { requireDeployment } from '../install/require-record.ts';
import { Fault } from '../machine/fault.ts';
import { followProgram } from '../machine/follow-program.ts';
import { runSteps } from '../steps/run-steps.ts';
import { arrived, type Move } from './plan-move.ts';
import { removeOldReleases } from './remove-old-releases.ts';

type Flags = Readonly<Record<string, string | undefined>>;

export async function moveRelease(installation: Installation, move: Move, flags: Flags): Promise<void> {
  const { print } = installation;
  await installation.save({ ...requireDeployment(installation), move });
  const reason = await become(installation, move.to, flags);
  if (reason === undefined) {
    await settle(installation, move);
    print(`Berth ${move.to} is up.${move.from === move.to ? '' : ' Back again: berth-server upgrade --back'}`);
    return;
  }
  if (move.from === move.to)
    throw new Fault(
      `The release ${move.to} does not work, and there is no other to go back to.\n${indented(reason)}`,
      'berth-server doctor; then run the same command again',
    );
  print(`${move.to} failed; going back to ${move.from}`);
  const startedAt = performance.now();
  const second = await become(installation, move.from, {});
  if (second !== undefined)
    throw new Fault(
      `${move.to} failed:\n${indented(reason)}\nThe way back to ${move.from} failed too, so the deployment is between both releases:\n${indented(second)}`,
      'remove the cause, then run: berth-server upgrade --back',
    );
  await settle(installation, { ...move, to: move.from });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  throw new Fault(
    `${move.to} failed:\n${indented(reason)}\n${move.from} serves again with its own settings, ${seconds} s after the failure. Data is as it was; tables and columns that ${move.to} added stay, and ${move.from} does not use them.`,
    'remove the cause, then run the same command again; berth-server doctor says how the deployment is',
  );
}

/** Returns the reason when it fails. */
async function become({ places, print }: Installation, version: string, flags: Flags): Promise<string | undefined> {
  const words = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const program = join(places.releases, version, 'bin/berth-server');
  const { code, complaint } = await followProgram(program, ['upgrade', '--switch', ...words], print).catch(
    (error: unknown) => ({ code: 1, complaint: error instanceof Error ? error.message : String(error) }),
  );
  if (code === 0) return undefined;
  return complaint === '' ? `${program} ended ${code === null ? 'by a signal' : `with ${code}`}.` : complaint;
}

/** The switch has written the record too. */
async function settle({ places, print, run }: Installation, move: Move): Promise<void> {
  const installation = await openInstallation(print, places, run);
  await installation.save(arrived(requireDeployment(installation), move));
  await runSteps([removeOldReleases], installation, { print, now: () => performance.now() });
}

const indented = (text: string): string => `  ${text.replaceAll('\n', '\n  ')}`;
