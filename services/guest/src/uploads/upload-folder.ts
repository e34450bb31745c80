// An upload on disk:
//   <id>/upload.json    its target and its start
//   <id>/part-00001     see part-file.ts
//   <id>.gone           given up, about to be deleted
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedPart } from '@berth/contract/guest';
import { deletePath } from '../files/delete-path.ts';
import { systemCode } from '../http/fault.ts';
import { openPart, partNumberOf } from './part-file.ts';

const privateFolderMode = 0o700;
const privateFileMode = 0o600;
const givenUpSuffix = '.gone';

export type UploadRecord = { uploadId: string; path: string; initiatedAt: string; permissions: number };

/** A folder is an upload only once its record is complete: readers skip folders that they cannot read. */
export async function makeUploadFolder(folder: string, record: UploadRecord): Promise<void> {
  await mkdir(folder, { recursive: true, mode: privateFolderMode });
  await writeFile(join(folder, 'upload.tmp'), JSON.stringify(record), { mode: privateFileMode });
  await rename(join(folder, 'upload.tmp'), join(folder, 'upload.json'));
}

export async function readRecord(folder: string): Promise<UploadRecord | undefined> {
  try {
    return parseRecord(await readFile(join(folder, 'upload.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** In ascending order of part numbers. */
export async function storedParts(folder: string): Promise<UploadedPart[]> {
  const names = await readdir(folder).catch(() => []);
  const parts: UploadedPart[] = [];
  for (const number of names.map(partNumberOf).filter((one) => one !== undefined)) {
    const stored = await openPart(folder, number).catch(() => undefined);
    if (stored === undefined) continue;
    await stored.handle.close();
    parts.push(stored.part);
  }
  return parts.sort((a, b) => a.partNumber - b.partNumber);
}

/**
 * Renames the folder first, so that parts still arriving cannot appear in it. False when another request did it before.
 */
export async function giveUpFolder(folder: string): Promise<boolean> {
  const given = `${folder}${givenUpSuffix}`;
  try {
    await rename(folder, given);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
  await deleteGivenUp(given);
  return true;
}

/** A folder that cannot be deleted now is tried again by the next sweep: the upload has ended all the same. */
export async function deleteGivenUp(folder: string): Promise<void> {
  await deletePath(folder, { recursive: true }).catch(() => undefined);
}

export const isGivenUp = (name: string): boolean => name.endsWith(givenUpSuffix);

function parseRecord(text: string): UploadRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('uploadId' in value && 'path' in value && 'initiatedAt' in value && 'permissions' in value)) return undefined;
  const { uploadId, path, initiatedAt, permissions } = value;
  if (typeof uploadId !== 'string' || typeof path !== 'string') return undefined;
  if (typeof initiatedAt !== 'string' || typeof permissions !== 'number') return undefined;
  return { uploadId, path, initiatedAt, permissions };
}
