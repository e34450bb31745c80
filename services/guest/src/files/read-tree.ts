import { stat } from 'node:fs/promises';
import { archiveType } from '@berth/contract/guest';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { resolveTree } from '../paths.ts';
import { accountNames } from './account-names.ts';
import { answerPieces } from './answer-pieces.ts';
import { directoryJson } from './directory-json.ts';
import { gatherFolder } from './list-directory.ts';
import { withFaults } from './system-fault.ts';

/** GET of a tree: an archive where the caller accepts one; otherwise one level, or with ?recursive=true&depth=n as many as asked for. */
export async function readTree(call: Call): Promise<void> {
  const { absolute, echoed } = resolveTree(call.rest);
  const levels = levelsOf(call.query);
  const stats = await withFaults('lookTree', echoed, () => stat(absolute));
  if (!stats.isDirectory()) {
    throw new Fault(400, `${echoed} is not a directory. Read it with GET /filesystem/${encodeURIComponent(echoed)}.`);
  }
  if (call.request.headers.accept?.includes(archiveType)) {
    // Most readings are listings, so the packer loads with the first archive.
    const { sendArchive } = await import('./archive/send-archive.ts');
    return sendArchive(call, absolute);
  }
  const folder = await gatherFolder(absolute, { echoed, levels });
  await answerPieces(call, directoryJson(folder, await accountNames()));
}

function levelsOf(query: URLSearchParams): number {
  if (query.get('recursive') !== 'true') return 1;
  const depth = query.get('depth');
  if (depth === null || depth === '') return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,3}$/.test(depth)) {
    throw new Fault(400, `depth is ${JSON.stringify(depth)}. Give how many levels to list, from 1 to 9999.`);
  }
  return Number(depth);
}
