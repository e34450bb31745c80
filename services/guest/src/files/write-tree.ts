import { archiveType, TreeRequest } from '@berth/contract/guest';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readJson } from '../http/read-body.ts';
import { resolveTree } from '../paths.ts';
import { accountNames } from './account-names.ts';
import { answerPieces } from './answer-pieces.ts';
import { directoryJson } from './directory-json.ts';
import { gatherFolder } from './list-directory.ts';
import { makeDirectory } from './make-directory.ts';
import { placeBelow } from './place-below.ts';
import { writeFile } from './write-file.ts';

/** PUT of a tree: many files, each written whole or not at all; files that are not named are kept. */
export async function writeTree(call: Call): Promise<void> {
  const { absolute, echoed } = resolveTree(call.rest);
  if (call.request.headers['content-type'] === archiveType) {
    const { receiveArchive } = await import('./archive/receive-archive.ts');
    await receiveArchive(call, absolute);
  } else await writeTexts(call, absolute);
  const folder = await gatherFolder(absolute, { echoed });
  await answerPieces(call, directoryJson(folder, await accountNames()));
}

async function writeTexts(call: Call, root: string): Promise<void> {
  const { files } = await readJson(call, TreeRequest);
  const wanted = Object.entries(files ?? {}).map(([name, content]) => ({ path: placeOf(root, name), content }));
  await makeDirectory(root);
  for (const { path, content } of wanted) await writeFile(path, content);
}

/** All names are checked before anything is written. */
function placeOf(root: string, name: string): string {
  const path = placeBelow(root, name);
  if (path !== undefined && path !== root && !name.endsWith('/')) return path;
  throw new Fault(400, `files: ${JSON.stringify(name)} names no file below ${root}. Give paths relative to it.`);
}
