export { ApiConfig } from './config.ts';
export { errorTables } from './error-tables.ts';
export { errorsPage } from './errors-page.ts';
export { fieldsPage } from './fields-page.ts';
export { type RunningApi, startApi } from './start-api.ts';
export { createWorkspace, requireWorkspaceName } from './workspaces/create-workspace.ts';
