import { stat } from 'node:fs/promises';
import type { Call } from '../http/call.ts';
import { resolveWildcard } from '../paths.ts';
import { accountNames } from './account-names.ts';
import { answerPieces } from './answer-pieces.ts';
import { directoryJson } from './directory-json.ts';
import { download } from './download.ts';
import { gatherFolder } from './list-directory.ts';
import { openText } from './read-file.ts';
import { withFaults } from './system-fault.ts';
import { wantsBytes } from './wants-bytes.ts';

/** GET and HEAD of a path: a directory is listed, a file is shown as JSON or sent as it is. */
export async function readPath(call: Call): Promise<void> {
  const { absolute, echoed } = resolveWildcard(call.rest, call.guest.settings);
  const stats = await withFaults('look', echoed, () => stat(absolute));
  if (stats.isDirectory()) {
    const folder = await gatherFolder(absolute, { echoed });
    await answerPieces(call, directoryJson(folder, await accountNames()));
    return;
  }
  // HEAD describes the file itself: its length, its type, when it changed.
  if (call.headOnly || wantsBytes(call.request.headers.accept, call.query)) {
    await download(call, absolute);
    return;
  }
  const { description, pieces } = await openText(absolute, { echoed });
  await answerPieces(call, fileJson(JSON.stringify(description), pieces));
}

/** Escapes the contents piece by piece: a file of control characters is six times as long in JSON. */
async function* fileJson(description: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${description.slice(0, -1)},"content":"`;
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
  yield '"}';
}
