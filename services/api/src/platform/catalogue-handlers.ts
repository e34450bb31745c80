import { getTemplate, listMcpHub, listSandboxHub, listTemplates, requestErrors } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { mcpHub } from './mcp-hub.ts';
import { sandboxHub } from './sandbox-hub.ts';
import { templates } from './templates.ts';

export const catalogueHandlers: readonly Registration[] = [
  read(listTemplates, async () => templates),
  read(getTemplate, async ({ params }) => {
    const found = templates.find(({ name }) => name === params.templateName);
    if (found === undefined) throw requestErrors.not_found();
    return found;
  }),
  read(listMcpHub, async () => mcpHub),
  read(listSandboxHub, async ({ dependencies }) => sandboxHub(dependencies.config.brand)),
];
