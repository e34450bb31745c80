import { z } from 'zod';
import { openInstallation } from '../operate/install/installation.ts';
import { Fault } from '../operate/machine/fault.ts';
import { switchRelease } from '../operate/upgrade/switch-release.ts';
import { goBack, upgrade } from '../operate/upgrade/upgrade.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  key: z.string().optional(),
  images: z.string().optional(),
  back: z.boolean().default(false),
  /** Of the program that is started in the release that is to run; not for operators. */
  switch: z.boolean().default(false),
  archive: z.string().optional(),
  controlImage: z.string().optional(),
});

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  summary: 'upgrades this machine to a release: ARCHIVE [--key public.pem] [--images FOLDER]; or back again: --back',
  sections: {},
  async run(_, { logger, arguments: argv, print }) {
    const [first, ...rest] = argv;
    const archive = first?.startsWith('-') ? undefined : first;
    const {
      key,
      images,
      controlImage,
      archive: ownArchive,
      ...flags
    } = readFlags(archive === undefined ? argv : rest, Flags, ['back', 'switch']);
    const installation = await openInstallation(print);
    if (flags.switch) await switchRelease(installation, { archive: ownArchive, images, controlImage, logger });
    else if (flags.back) await goBack(installation);
    else if (archive !== undefined) await upgrade(installation, { archive, key, images });
    else
      throw new Fault(
        'The archive of a release is missing.',
        'berth-server upgrade berth-VERSION-linux-x64.tar.gz [--key public.pem], with the archive as the first word',
      );
  },
});
