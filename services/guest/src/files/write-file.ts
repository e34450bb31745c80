import { stageFile } from './stage-file.ts';
import { withFaults } from './system-fault.ts';

/** `mode` applies to a new file only. stage-file.ts lists the guarantees for a failed write. */
export async function writeFile(
  path: string,
  content: string | Buffer,
  { mode, echoed = path }: { mode?: number | undefined; echoed?: string } = {},
): Promise<void> {
  await withFaults('write', echoed, async () => {
    const staged = await stageFile(path);
    try {
      await staged.write(typeof content === 'string' ? Buffer.from(content) : content);
      await staged.commit(mode);
    } finally {
      await staged.discard();
    }
  });
}
