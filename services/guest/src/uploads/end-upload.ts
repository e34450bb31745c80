import { type SuccessResponse, UploadCompleteRequest } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readJson } from '../http/read-body.ts';
import { uploadsOf } from './uploads-of.ts';

export async function completeUpload(call: Call): Promise<void> {
  const { uploadId = '' } = call.params;
  const uploads = uploadsOf(call.guest);
  const { parts } = await readJson(call, UploadCompleteRequest);
  if (new Set(parts.map(({ partNumber }) => partNumber)).size < parts.length) {
    throw new Fault(400, 'parts names a part twice. Name each once, with the etag of its last answer.');
  }
  const { path } = await uploads.complete(uploadId, parts);
  const body: SuccessResponse = { path, message: 'Upload completed successfully' };
  answerJson(call, body);
}

export async function abortUpload(call: Call): Promise<void> {
  await uploadsOf(call.guest).abort(call.params.uploadId ?? '');
  const body: SuccessResponse = { path: '', message: 'Upload aborted successfully' };
  answerJson(call, body);
}
