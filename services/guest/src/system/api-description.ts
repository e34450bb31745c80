import { type GuestApiDocument, guestApiDocument } from '@berth/contract/guest';
import { readBuildInfo } from '../build-info.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { apiPage } from './api-page.ts';

let made: GuestApiDocument | undefined;

export async function apiDescription(call: Call): Promise<void> {
  made ??= guestApiDocument((await readBuildInfo(call.guest.settings)).version);
  const name = call.rest.replace(/^\/+/, '');
  if (name === '' || name === 'openapi.json' || name === 'doc.json') answerJson(call, made);
  else if (name === 'index.html') answerPage(call, apiPage(made));
  else throw new Fault(404, 'There is only /swagger, /swagger/openapi.json and /swagger/index.html.');
}

function answerPage({ response }: Call, page: string): void {
  const bytes = Buffer.from(page);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': bytes.length,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(bytes);
}
