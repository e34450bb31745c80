import type { getWorkspace as operation } from '@berth/contract';
import type { ReadCall } from '../../http/call.ts';
import { countResources } from './count-resources.ts';
import { loadWorkspace, renderWorkspace } from './record.ts';

export async function getWorkspace({ database, workspace, query }: ReadCall<typeof operation>): Promise<unknown> {
  const rendered = renderWorkspace(await loadWorkspace(database, workspace.id));
  if (query.countResources !== true) return rendered;
  return { ...rendered, resourceCounts: await countResources(database, workspace.id) };
}
