import type { HandlerTable } from '../http/call.ts';

export const terminalHandlers = {
  terminalPage: () => import('./page.ts').then(({ terminalPage }) => terminalPage),
  terminalSocket: () => import('./page.ts').then(({ terminalSocket }) => terminalSocket),
} satisfies HandlerTable;
