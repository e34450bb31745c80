export { ApiConfig } from './config.ts';
export { errorTables } from './error-tables.ts';
export { errorsPage } from './errors-page.ts';
export { fieldsPage } from './fields-page.ts';
export { createWorkspace, requireWorkspaceName } from './people/workspaces/create-workspace.ts';
export { type RunningApi, startApi } from './start-api.ts';
