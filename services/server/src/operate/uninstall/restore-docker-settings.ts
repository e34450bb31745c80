import { rm } from 'node:fs/promises';
import { removeDockerKeys } from '../install/docker-settings.ts';
import type { Installation } from '../install/installation.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import type { Step } from '../steps/run-steps.ts';

/** Docker reloads its settings and keeps all containers. */
export const restoreDockerSettings: Step<Installation> = {
  name: 'docker settings',
  isDone: async ({ record }) => record()?.docker === undefined,
  async run({ places, record: current, run, save }) {
    const record = current();
    const text = await readIfThere(places.dockerSettings);
    if (record?.docker === undefined || text === undefined) return undefined;
    const left = removeDockerKeys(text, places.dockerSettings, record.docker);
    if (left === undefined) await rm(places.dockerSettings);
    else await writeWholeFile(places.dockerSettings, left, { mode: 0o644 });
    await run('systemctl', ['reload', 'docker']);
    const { docker, ...others } = record;
    await save(others);
    return docker.added.join(', ');
  },
};
