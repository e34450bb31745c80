import type { HandlerTable } from '../http/call.ts';

export const watchHandlers = {
  watch: () => import('./watch.ts').then(({ watch }) => watch),
} satisfies HandlerTable;
