// Read-only catalogues; control-plane sheet 1.17.
import { z } from 'zod';
import { anyCaller } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { McpDefinition, SandboxDefinition, Template, TemplateFiles } from '../schema/catalogue.ts';

const tag = 'Catalogue';
const none = z.object({});

export const listTemplates = defineOperation({
  ...at('/templates'),
  id: 'listTemplates',
  method: 'GET',
  tag,
  summary: 'List the deployment templates',
  access: anyCaller('templates:list'),
  query: none,
  answer: z.array(Template),
});

export const getTemplate = defineOperation({
  ...at('/templates/{templateName}'),
  id: 'getTemplate',
  method: 'GET',
  tag,
  summary: 'Read one deployment template',
  access: anyCaller('templates:get'),
  query: none,
  answer: Template,
});

export const listTemplateFiles = defineOperation({
  ...at('/templates/{templateName}/files'),
  id: 'listTemplateFiles',
  method: 'GET',
  tag,
  summary: 'Read all files of one deployment template',
  access: anyCaller('templates:get'),
  query: none,
  answer: TemplateFiles,
  isAddition: true,
});

export const listMcpHub = defineOperation({
  ...at('/mcp/hub'),
  id: 'listMcpHub',
  method: 'GET',
  tag,
  summary: 'List the ready-made MCP servers',
  access: anyCaller('mcphub:list'),
  query: none,
  answer: z.array(McpDefinition),
});

export const listSandboxHub = defineOperation({
  ...at('/sandbox/hub'),
  id: 'listSandboxHub',
  method: 'GET',
  tag,
  summary: 'List the ready-made sandbox images',
  access: anyCaller('sandboxhub:list'),
  query: none,
  answer: z.array(SandboxDefinition),
});
