// The archive of the release is kept where the api reads it: machines that join fetch it from there.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hashOfFile } from '../machine/hash-of-file.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

export const keepArchive: Step<UpContext> = {
  name: 'archive',
  async isDone({ archive, places }) {
    if (archive === undefined || archive === places.archive) return true;
    const [given, kept] = await Promise.all([hashOfFile(archive), hashOfFile(places.archive).catch(() => undefined)]);
    return given === kept;
  },
  async run({ archive, places }) {
    if (archive === undefined) return undefined;
    const next = `${places.archive}.new`;
    const folder = dirname(places.archive);
    await mkdir(folder, { recursive: true });
    // The account of the api reads it, whatever the umask of the operator.
    await chmod(folder, 0o755);
    await copyFile(archive, next, constants.COPYFILE_FICLONE);
    await chmod(next, 0o444);
    await rename(next, places.archive);
    return 'kept for machines that join';
  },
};
