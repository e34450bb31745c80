// The guest: the API inside a sandbox. Started by the native helper, which holds the listening socket and processes.
import { Activity } from './activity.ts';
import { commandLine, environment } from './environment.ts';
import type { Guest } from './guest.ts';
import { createGuestServer } from './http/server.ts';
import { LiveEnvironment } from './live-environment.ts';
import { GuestLog } from './log.ts';
import { readSettings } from './settings.ts';
import { connectSupervisor } from './supervisor/connect-supervisor.ts';
import { isTerminalKey } from './terminal/is-terminal-key.ts';

const supervisorDescriptor = 3;
const listeningDescriptor = 4;
// Same as in the helper: listening again with Node's default would shorten the queue.
const backlog = 4096;
const stopGraceMs = 10_000;

const stopping = new AbortController();
const log = new GuestLog();
const currentSettings = () => readSettings(environment, commandLine, process.cwd());

const booted = currentSettings();
const live = new LiveEnvironment({
  variables: environment,
  stateFolder: booted.stateFolder,
  hasAccount: booted.workloadUser !== undefined,
  changed: () => {
    guest.settings = currentSettings();
  },
});
const extra = booted.extraEnvironmentPath;
for (const message of [extra && live.addExtra(extra), live.restore()]) {
  if (message) log.line('guest', { level: 'warn', message });
}

const supervisor = connectSupervisor(supervisorDescriptor, () => process.exit(1));

const guest: Guest = {
  settings: currentSettings(),
  environment: live,
  activity: new Activity(),
  log,
  supervisor,
  processes: () => import('./processes/process-manager.ts').then(({ processManagerOf }) => processManagerOf(guest)),
  stopping: stopping.signal,
};

const server = createGuestServer(guest);
void supervisor.ready.then(async () => {
  server.listen({ fd: listeningDescriptor, backlog: backlog });
  // Restarts, kill timers and holds of an earlier guest's processes go on. Without such processes nothing of the
  // feature is loaded yet.
  if (supervisor.records().length > 0 || guest.settings.startupCommand !== undefined) {
    const { resumeProcesses } = await import('./processes/start/resume-processes.ts');
    await resumeProcesses(guest);
  }
  if (supervisor.records().some(({ key }) => isTerminalKey(key))) {
    const { terminalSessions } = await import('./terminal/open-terminal.ts');
    await terminalSessions(guest);
  }
});

const stop = () => {
  stopping.abort();
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => process.exit(0), stopGraceMs).unref();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
