import type { Brand } from '../api/brand.ts';

/**
 * CORS headers that let pages of every origin call a sandbox's API. A session sends the platform's own headers, so
 * preflight must allow them.
 */
export function browserHeaders({ long }: Brand): Readonly<Record<string, string>> {
  const allowed = [
    'Content-Type',
    'Authorization',
    `X-${long}-Authorization`,
    `X-${long}-Workspace`,
    `X-${long}-Preview-Token`,
    `${long}-Version`,
    'Accept',
    'Range',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
  ];
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, HEAD, OPTIONS',
    'Access-Control-Allow-Headers': allowed.join(', '),
  };
}
