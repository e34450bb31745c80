import type { Installation } from '../install/installation.ts';
import { hasImage } from '../machine/docker.ts';
import type { Step } from '../steps/run-steps.ts';

const brought = ({ record }: Pick<Installation, 'record'>): readonly string[] => record()?.broughtImages ?? [];

/** Images that were there before the installation are not in its record. An image that a foreign container uses stays. */
export const removeImages: Step<Installation> = {
  name: 'images',
  isDone: async (installation) => brought(installation).length === 0,
  async run(installation) {
    const { run } = installation;
    let removed = 0;
    for (const image of brought(installation)) {
      if (!(await hasImage(run, image))) continue;
      await run('docker', ['image', 'rm', image]).then(
        () => {
          removed += 1;
        },
        (error: unknown) => installation.print(`  ${image} stays: ${error instanceof Error ? error.message : error}`),
      );
    }
    const record = installation.record();
    if (record !== undefined) await installation.save({ ...record, broughtImages: [] });
    return `${removed} removed`;
  },
};
