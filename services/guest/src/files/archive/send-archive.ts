import { pipeline } from 'node:stream/promises';
import { archiveType } from '@berth/contract/guest';
import { packTar } from 'modern-tar/fs';
import type { Call } from '../../http/call.ts';

/** Sends all that is below a folder. A failure ends the connection, so that no caller takes a part for the whole. */
export async function sendArchive({ response, headOnly }: Call, folder: string): Promise<void> {
  response.setHeader('content-type', archiveType);
  if (headOnly) response.end();
  else await pipeline(packTar(folder), response);
}
