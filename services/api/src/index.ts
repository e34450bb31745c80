export { ApiConfig } from './config.ts';
export { type RunningApi, startApi } from './start-api.ts';
export { createWorkspace, requireWorkspaceName } from './workspaces/create-workspace.ts';
