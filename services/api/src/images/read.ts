import { requestErrors } from '@berth/contract';
import { type ReadCall, StreamedAnswer } from '../http/call.ts';
import { positionOf, readPage } from '../resources/page.ts';
import { streamArray } from '../resources/paging.ts';
import { findLive, type ResourceRow } from '../resources/record.ts';
import { findOfAnyType, imageKind, storedName } from './record.ts';
import { renderImage } from './render.ts';

type ImageCall = Pick<ReadCall, 'database' | 'workspace'>;

const streamedBatch = 500;

export async function listImages({ database, workspace }: ImageCall): Promise<StreamedAnswer> {
  const sort = 'createdAt:desc';
  const read = (last: ResourceRow | undefined) =>
    readPage(database, {
      workspaceId: workspace.id,
      kind: imageKind,
      sort,
      limit: streamedBatch,
      after: last === undefined ? undefined : positionOf(sort, last),
    });
  const render = async (rows: readonly ResourceRow[]) => rows.map((row) => renderImage(row, workspace.name));
  return new StreamedAnswer(streamArray(streamedBatch, read, render));
}

export async function getImage({ database, workspace }: ImageCall, type: string, name: string): Promise<unknown> {
  const row =
    type === '_'
      ? await findOfAnyType(database, workspace.id, name)
      : await findLive(database, { workspaceId: workspace.id, kind: imageKind }, storedName(type, name));
  if (row === undefined) throw requestErrors.not_found();
  return renderImage(row, workspace.name);
}
