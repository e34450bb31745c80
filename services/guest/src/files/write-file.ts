import { stageFile } from './stage-file.ts';
import { withFaults } from './system-fault.ts';
import type { UnfinishedTransfers } from './unfinished-transfers.ts';

export interface WriteOptions {
  /** Of a new file only. */
  readonly mode?: number | undefined;
  readonly echoed?: string;
  /** For content that arrives over a while: the next guest deletes what a guest that died has left. */
  readonly unfinished?: UnfinishedTransfers;
}

type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** stage-file.ts lists the guarantees for a failed write. */
export async function writeFile(
  path: string,
  content: string | Buffer | Pieces,
  { mode, echoed = path, unfinished }: WriteOptions = {},
): Promise<void> {
  await withFaults('write', echoed, async () => {
    const staged = await stageFile(path, unfinished);
    try {
      for await (const piece of piecesOf(content)) await staged.write(piece);
      await staged.commit(mode);
    } finally {
      await staged.discard();
    }
  });
}

function piecesOf(content: string | Buffer | Pieces): Pieces {
  if (typeof content === 'string') return [Buffer.from(content)];
  return Buffer.isBuffer(content) ? [content] : content;
}
