import { addDockerKeys, difference } from '../install/docker-settings.ts';
import { commandOf } from '../install/install-record.ts';
import type { MachineContext } from '../install/machine-context.ts';
import { requireRecord } from '../install/require-record.ts';
import { engineInfo } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import { waitUntil } from '../machine/wait-until.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import type { Step } from '../steps/run-steps.ts';

const reloadSeconds = 20;

const changeOf = async ({ places }: MachineContext) => {
  const text = await readIfThere(places.dockerSettings);
  return { text, change: addDockerKeys(text, places.dockerSettings, `${places.currentRelease}/bin/runsc`) };
};

async function applies({ run }: MachineContext): Promise<boolean> {
  const { LiveRestoreEnabled, Runtimes } = await engineInfo(run);
  return LiveRestoreEnabled && Runtimes?.runsc !== undefined;
}

export const changeDockerSettings: Step<MachineContext> = {
  name: 'docker',
  isDone: async (context) => (await changeOf(context)).change.added.length === 0 && (await applies(context)),
  async run(context) {
    const { places, run, save, print, agree } = context;
    const { text, change } = await changeOf(context);
    if (change.added.length > 0) {
      print(`  ${places.dockerSettings} changes:`);
      for (const line of difference(text ?? '', change.text)) print(`    ${line}`);
      const record = requireRecord(context);
      if (!(await agree('Change the settings of Docker and reload it? Containers keep running.')))
        throw new Fault(
          'The settings of Docker stay as they are, so the runner cannot start.',
          `berth-server ${commandOf(record)} --yes`,
        );
      const added = [...new Set([...(record.docker?.added ?? []), ...change.added])];
      await save({ ...record, docker: { madeFile: record.docker?.madeFile ?? text === undefined, added } });
      await writeWholeFile(places.dockerSettings, change.text, { mode: 0o644 });
    }
    await run('systemctl', ['reload', 'docker']);
    await waitUntil(reloadSeconds, async () => {
      if (!(await applies(context)))
        throw new Fault(
          `Docker does not use the settings of ${places.dockerSettings}: it has no runtime runsc, or live-restore is off.`,
          `set "live-restore": true in ${places.dockerSettings}, then run: systemctl reload docker; journalctl -u docker -n 20 says what Docker refused`,
        );
    });
    return change.added.join(', ');
  },
};
