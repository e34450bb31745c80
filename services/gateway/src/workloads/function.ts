// A function is an MCP server: a session lives in the instance that began it; see http/mcp-session.ts.
import { sessionHeader } from '../http/mcp-session.ts';
import { deployedHeaders, deployedKind } from './deployed-kind.ts';
import type { WorkloadKind } from './workload-kind.ts';

export const functionKind: WorkloadKind = {
  ...deployedKind,
  pathSegment: 'functions',
  labelPrefix: 'mcp-',
  callScope: 'functions:call',
  headers: { ...deployedHeaders, keepsThreadId: false },
  sessionHeader: sessionHeader.toLowerCase(),
};
