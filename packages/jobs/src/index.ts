export { FixedSpec } from './fixed-spec.ts';
export { insertCallback } from './insert-callback.ts';
export { type JobSettings, jobSettings } from './job-settings.ts';
export { readTaskDataToken, type TaskDataName, taskDataToken } from './task-data-token.ts';
export { taskDataPath, taskDataUrl } from './task-data-url.ts';
export { type ExecutionEvent, type ExecutionStatus, nextStatus } from './transitions.ts';
