import type { HandlerTable } from '../http/call.ts';

export const portsHandlers = {
  portList: () => import('./list-ports.ts').then(({ listPorts }) => listPorts),
  portMonitor: () => import('./monitor-ports.ts').then(({ monitorPorts }) => monitorPorts),
  portMonitorEnd: () => import('./monitor-ports.ts').then(({ endPortMonitor }) => endPortMonitor),
} satisfies HandlerTable;
