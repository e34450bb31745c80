// Answers of the MCP server's tools, as schemas: unlike a REST route, a tool publishes the shape of its answer. The
// names are those of the corresponding REST answers.
import * as z from 'zod/mini';
import type { Directory, FileDescription, FileWithContent, SuccessResponse } from './files.ts';
import type { ProcessResponse } from './processes.ts';

export const mcpServerInfo = { name: 'Sandbox API Server', version: '1.0.0' };

export const ProcessShape = z.object({
  pid: z.string(),
  name: z.string(),
  command: z.string(),
  workingDir: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'stopped', 'killed']),
  startedAt: z.string(),
  completedAt: z.nullable(z.string()),
  exitCode: z.int(),
  logs: z.nullable(z.string()),
  stdout: z.nullable(z.string()),
  stderr: z.nullable(z.string()),
  restartOnFailure: z.boolean(),
  maxRestarts: z.int(),
  restartCount: z.int(),
  keepAlive: z.boolean(),
}) satisfies z.ZodMiniType<ProcessResponse>;

export const FileShape = z.object({
  path: z.string(),
  name: z.string(),
  permissions: z.string(),
  size: z.int(),
  lastModified: z.string(),
  owner: z.string(),
  group: z.string(),
}) satisfies z.ZodMiniType<FileDescription>;

export const FileWithContentShape = z.extend(FileShape, {
  content: z.string(),
}) satisfies z.ZodMiniType<FileWithContent>;

export const DirectoryShape = z.object({
  path: z.string(),
  name: z.string(),
  files: z.array(FileShape),
  subdirectories: z.array(z.object({ path: z.string(), name: z.string() })),
}) satisfies z.ZodMiniType<Directory>;

/** Answer of every tool that changes a file: its path, and a message about the change. */
export const ChangeShape = z.object({ path: z.string(), message: z.string() }) satisfies z.ZodMiniType<SuccessResponse>;
