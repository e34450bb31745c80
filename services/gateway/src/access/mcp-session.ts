// A session of an MCP server lives in the instance that began it. Gateways share no memory, so the session's id itself says
// where: on its way out the instance is appended, on its way in it is taken off again. It is not signed: the instance is only
// looked for among those of the workload that the caller reaches anyway. When it is gone, the request goes to another
// instance, which does not know the session and answers 404, and the client begins a new one, as the protocol wants.

export const sessionHeader = 'Mcp-Session-Id';

const hintForm = /^(.*)\.([A-Za-z0-9_-]{22})$/s;

/** The id as the client gets it. `instance` is a UUID. */
export function outgoingSession(id: string, instance: string): string {
  return `${id}.${Buffer.from(instance.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/** The id as the workload knows it, and the instance that gave it; undefined when it came from elsewhere. */
export function incomingSession(value: string): { readonly id: string; readonly instance: string | undefined } {
  const [, id, hint] = hintForm.exec(value) ?? [];
  if (id === undefined || hint === undefined) return { id: value, instance: undefined };
  const instance = Buffer.from(hint, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { id, instance };
}
