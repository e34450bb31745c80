import type { UploadList, UploadPartList } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { uploadsOf } from './uploads-of.ts';

export async function listUploads(call: Call): Promise<void> {
  const uploads = uploadsOf(call.guest);
  await uploads.sweep();
  const body: UploadList = { uploads: await uploads.list() };
  answerJson(call, body);
}

export async function listParts(call: Call): Promise<void> {
  const { uploadId = '' } = call.params;
  const body: UploadPartList = { uploadId, parts: await uploadsOf(call.guest).parts(uploadId) };
  answerJson(call, body);
}
