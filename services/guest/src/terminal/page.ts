import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';

/** The page contains its own scripts and loads nothing; the credential in its address goes to the WebSocket only. */
const contentSecurityPolicy = [
  "default-src 'none'",
  'img-src data:',
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "connect-src 'self' ws: wss:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export async function terminalPage(call: Call): Promise<void> {
  refuseDisabled(call);
  const page = await readFile(join(call.guest.settings.runtimeFolder, 'guest', 'terminal.html')).catch(() => undefined);
  if (page === undefined) {
    throw new Fault(
      501,
      'This guest was built without its terminal page. Connect to /terminal/ws by a client instead.',
    );
  }
  call.response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.length,
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  });
  call.response.end(page);
}

/** Serves requests without an offer to upgrade only; the server handles the others as upgrades. */
export function terminalSocket(call: Call): never {
  refuseDisabled(call);
  throw new Fault(426, 'This address speaks WebSocket only. Connect with a WebSocket client, or open /terminal.', {
    headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
  });
}

function refuseDisabled({ guest }: Call): void {
  if (guest.settings.terminalDisabled) {
    throw new Fault(404, 'Terminals are switched off in this sandbox (DISABLE_TERMINAL). Use POST /process instead.');
  }
}
