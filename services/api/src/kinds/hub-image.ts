// Where a function without an image gets one: the MCP hub's entry for its integration.

/** Undefined as long as the deployment has no hub to ask; `image` is undefined when the hub has no such integration. */
export function hubImageFor(_integration: string): { readonly image: string | undefined } | undefined {
  return undefined;
}
