import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineContext } from '../install/machine-context.ts';
import { requireRecord } from '../install/require-record.ts';
import { answers } from '../machine/answers.ts';
import { Fault } from '../machine/fault.ts';
import { runnerUnitName } from '../machine/places.ts';
import { ports } from '../machine/ports.ts';
import { waitUntil } from '../machine/wait-until.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import type { Step } from '../steps/run-steps.ts';
import { ownCommand } from './own-command.ts';
import { hashOf } from './write-settings.ts';

const readySeconds = 90;
const publicFile = 0o644;

const unitText = ({ places }: MachineContext): Promise<string> =>
  readFile(join(places.currentRelease, 'deploy/systemd', runnerUnitName), 'utf8');

/** Another version or other settings start the runner again. Its containers stay. */
const wantedState = async (context: MachineContext): Promise<string> =>
  hashOf(
    [context.release.version, await unitText(context), await readFile(context.places.settings, 'utf8')].join('\0'),
  );

const isReady = (): Promise<string> => answers(`http://127.0.0.1:${ports.runnerHealth}/readyz`);

export const startRunner: Step<MachineContext> = {
  name: 'runner',
  async isDone(context) {
    if (requireRecord(context).runnerState !== (await wantedState(context))) return false;
    if ((await readIfThere(context.places.runnerUnit)) !== (await unitText(context))) return false;
    return isReady().then(
      () => true,
      () => false,
    );
  },
  async run(context) {
    const { places, run, save } = context;
    await mkdir(places.runnerState, { recursive: true, mode: 0o700 });
    if (!existsSync(join(places.runnerState, 'identity.json'))) await writeJoinToken(context);
    await writeWholeFile(places.runnerUnit, await unitText(context), { mode: publicFile });
    await run('systemctl', ['daemon-reload']);
    await run('systemctl', ['enable', runnerUnitName]);
    await run('systemctl', ['restart', runnerUnitName]);
    await waitUntil(readySeconds, isReady).catch((cause: unknown) => {
      throw new Fault('The runner is not ready.', `journalctl --unit ${runnerUnitName} --lines 30`, { cause });
    });
    await rm(places.runnerEnvironment, { force: true });
    await save({ ...requireRecord(context), runnerState: await wantedState(context) });
    return undefined;
  },
};

/** In a file that only root reads: an argument or a unit would show the token to every account. */
async function writeJoinToken(context: MachineContext): Promise<void> {
  const token = (await ownCommand(context, ['create-join-token', '--expires-in', '15m'])).trim();
  await writeWholeFile(context.places.runnerEnvironment, `BERTH_RUNNER_JOIN_TOKEN=${token}\n`);
}
