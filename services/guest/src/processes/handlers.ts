import type { HandlerTable } from '../http/call.ts';

export const processesHandlers = {
  processList: () => import('./list-processes.ts').then(({ listProcesses }) => listProcesses),
  processStart: () => import('./start-process.ts').then(({ startProcess }) => startProcess),
  processGet: () => import('./get-process.ts').then(({ getProcess }) => getProcess),
  processStop: () => import('./stop-process.ts').then(({ stopProcess }) => stopProcess),
  processKill: () => import('./stop-process.ts').then(({ killProcess }) => killProcess),
  processLogs: () => import('./read-logs.ts').then(({ readLogs }) => readLogs),
  processLogStream: () => import('./stream-logs.ts').then(({ streamLogs }) => streamLogs),
  processInput: () => import('./process-input.ts').then(({ processInput }) => processInput),
  processSignal: () => import('./signal-process.ts').then(({ signalProcess }) => signalProcess),
} satisfies HandlerTable;
