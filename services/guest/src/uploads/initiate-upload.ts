import { stat } from 'node:fs/promises';
import { type UploadInitiated, UploadInitiateRequest } from '@berth/contract/guest';
import { newFileMode, parsePermissions } from '../files/parse-permissions.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readBody } from '../http/read-body.ts';
import { resolveWildcard } from '../paths.ts';
import { uploadsOf } from './uploads-of.ts';

const maxBodyBytes = 64 * 1024;

export async function initiateUpload(call: Call): Promise<void> {
  const { absolute } = resolveWildcard(call.rest, call.guest.settings);
  const permissions = parsePermissions(permissionsIn(await readBody(call, maxBodyBytes))) ?? newFileMode;
  // Refused now, not after gigabytes.
  if ((await stat(absolute).catch(() => undefined))?.isDirectory()) {
    throw new Fault(422, `${absolute} is a directory. Name the file to write inside it.`);
  }
  const { uploadId, path } = await uploadsOf(call.guest).initiate(absolute, permissions);
  const body: UploadInitiated = { uploadId, path };
  answerJson(call, body);
}

/** A body that is not the expected JSON is ignored: clients send all kinds. */
function permissionsIn(body: Buffer): string | null | undefined {
  try {
    return UploadInitiateRequest.safeParse(JSON.parse(body.toString('utf8'))).data?.permissions;
  } catch {
    return undefined;
  }
}
