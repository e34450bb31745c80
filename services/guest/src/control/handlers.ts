import type { HandlerTable } from '../http/call.ts';

export const controlHandlers = {
  controlState: () => import('./state.ts').then(({ controlState }) => controlState),
  controlEnvironment: () => import('./set-environment.ts').then(({ controlEnvironment }) => controlEnvironment),
  controlQuiesce: () => import('./quiesce.ts').then(({ controlQuiesce }) => controlQuiesce),
  controlRehearse: () => import('./warm-up.ts').then(({ controlWarmUp }) => controlWarmUp),
} satisfies HandlerTable;
