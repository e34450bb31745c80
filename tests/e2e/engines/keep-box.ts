// Starts a box with a frozen container, prints that, and waits to be killed.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginRun } from '../../../engines/begin-run.ts';
import { Box } from '../../../engines/box/box.ts';
import { runFolder } from '../../../engines/run.ts';
import { tinyImageTar } from '../../../engines/tiny-image.ts';

await beginRun();
const files = await runFolder('box-files');
await writeFile(join(files, 'tiny.tar'), await tinyImageTar());
const box = await Box.start({ name: 'kept', number: 1, folders: { '/opt/images': files } });
await box.run(
  'docker import /opt/images/tiny.tar tiny && docker run --detach --name frozen tiny sleep 1000 && docker pause frozen',
);
console.log('frozen');
await sleep(2 ** 30);
