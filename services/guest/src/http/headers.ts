// Headers on every answer. A browser's session sends the platform's own headers, so preflight must allow them; and a
// proxy once served a file that had changed, so nothing is cached.
import type { Settings } from '../settings.ts';

export function commonHeaders({ brand }: Settings): Readonly<Record<string, string>> {
  const allowed = [
    'Content-Type',
    'Authorization',
    `X-${brand.long}-Authorization`,
    `X-${brand.long}-Workspace`,
    `X-${brand.long}-Preview-Token`,
    `${brand.long}-Version`,
    'Accept',
    'Range',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
  ];
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, HEAD, OPTIONS',
    'Access-Control-Allow-Headers': allowed.join(', '),
    'Cache-Control': 'no-cache, no-store, must-revalidate',
    Pragma: 'no-cache',
    Expires: '0',
    'X-Content-Type-Options': 'nosniff',
  };
}
