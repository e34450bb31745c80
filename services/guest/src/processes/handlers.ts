import type { HandlerTable } from '../http/call.ts';

export const processesHandlers = {
  processList: () => import('./routes/list-processes.ts').then(({ listProcesses }) => listProcesses),
  processStart: () => import('./routes/start-process.ts').then(({ startProcess }) => startProcess),
  processGet: () => import('./routes/get-process.ts').then(({ getProcess }) => getProcess),
  processStop: () => import('./routes/stop-process.ts').then(({ stopProcess }) => stopProcess),
  processKill: () => import('./routes/stop-process.ts').then(({ killProcess }) => killProcess),
  processLogs: () => import('./routes/read-logs.ts').then(({ readLogs }) => readLogs),
  processOutput: () => import('./routes/stream-output.ts').then(({ streamOutput }) => streamOutput),
  processLogStream: () => import('./routes/stream-logs.ts').then(({ streamLogs }) => streamLogs),
  processInput: () => import('./routes/write-input.ts').then(({ writeInput }) => writeInput),
  processSignal: () => import('./routes/signal-process.ts').then(({ signalProcess }) => signalProcess),
} satisfies HandlerTable;
