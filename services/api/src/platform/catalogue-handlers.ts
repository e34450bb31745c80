import {
  getTemplate,
  listMcpHub,
  listSandboxHub,
  listTemplateFiles,
  listTemplates,
  requestErrors,
} from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { mcpHub } from './mcp-hub.ts';
import { sandboxHub } from './sandbox-hub.ts';
import { templates } from './templates.ts';

export const catalogueHandlers: readonly Registration[] = [
  read(listTemplates, async () => templates.map(({ template }) => template)),
  read(getTemplate, async ({ params }) => templateNamed(params.templateName).template),
  read(listTemplateFiles, async ({ params }) => ({
    files: templateNamed(params.templateName).files.map(({ path, content }) => ({
      path,
      content: content.toString('base64'),
    })),
  })),
  read(listMcpHub, async () => mcpHub),
  read(listSandboxHub, async ({ dependencies }) => sandboxHub(dependencies.config.brand)),
];

function templateNamed(name: string): (typeof templates)[number] {
  const found = templates.find(({ template }) => template.name === name);
  if (found === undefined) throw requestErrors.not_found();
  return found;
}
