// First text of the reference page, in Markdown. Its links are anchors of that page.

export interface Addresses {
  readonly baseUrl: string;
  /** Address of the gateway, below which a path names a workload. */
  readonly gatewayUrl: string;
}

export const introduction = ({ baseUrl, gatewayUrl }: Addresses): string => `\
Berth is an open cloud for AI workloads on your own Linux machines: sandboxes, agents, MCP servers, model APIs and jobs. \
Containers run under gVisor or runc, and everything is reached over HTTP.

## Addresses

| Address | Answers |
|---|---|
| api: \`${baseUrl}\` | the operations on this page |
| gateway: \`${gatewayUrl}/{workspace}/agents/{name}\`, the same with \`functions\` and \`sandboxes\` | requests to workloads; each workload also has an address of its own, \`metadata.url\` |
| sandbox: \`metadata.url\` of the sandbox | the API inside: files, processes, ports, a terminal and MCP; \`GET /swagger\` there describes it |

## Authentication

Every request carries an API key. The gateway and sandboxes accept the same key.

\`\`\`sh
curl -H "Authorization: Bearer $KEY" ${baseUrl}/workspaces
\`\`\`

## First operations

- [Create a sandbox](#tag/sandboxes/POST/sandboxes), then [give one of its ports an address for browsers](#tag/previews/POST/sandboxes/{sandboxName}/previews).
- [Deploy an agent](#tag/agents/POST/agents), then call it at its \`metadata.url\`.

## Errors

An error is \`{"error": "<code>", "code": <status>, "message": "<what went wrong, and what to do>"}\`. Codes are stable. \
\`docs/errors.md\` of the repository lists the codes of this API, \`docs/gateway-errors.md\` those of the gateway.
`;
