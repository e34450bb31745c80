// A session of an MCP server lives in the instance that began it. Gateways share no memory, so the session id itself
// names the instance: the gateway appends the instance id to responses and removes it from requests. The id is not
// signed, because the instance is only searched among those of the workload that the caller reaches anyway. When the
// instance is gone, the request goes to another instance, which does not know the session and answers 404. The client
// then begins a new session, as the protocol requires.

export const sessionHeader = 'Mcp-Session-Id';

const hintForm = /^(.*)\.([A-Za-z0-9_-]{22})$/s;

/** Session id as the client receives it. `instance` is a UUID. */
export function outgoingSession(id: string, instance: string): string {
  return `${id}.${Buffer.from(instance.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/**
 * Session id as the workload knows it, and the instance that issued it; `instance` is undefined for ids without a hint.
 */
export function incomingSession(value: string): { readonly id: string; readonly instance: string | undefined } {
  const [, id, hint] = hintForm.exec(value) ?? [];
  if (id === undefined || hint === undefined) return { id: value, instance: undefined };
  const instance = Buffer.from(hint, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { id, instance };
}
