export { FixedSpec } from './fixed-spec.ts';
export { type JobSettings, jobSettings } from './job-settings.ts';
export { type ExecutionEvent, type ExecutionStatus, nextStatus } from './transitions.ts';
