// All commands, in the order of the help text.
import type { Command } from './command.ts';
import { completionOf } from './commands/completion.ts';
import { cp } from './commands/cp.ts';
import { deploy } from './commands/deploy.ts';
import { doctor } from './commands/doctor.ts';
import { exec } from './commands/exec.ts';
import { init } from './commands/init.ts';
import { login, logout } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { port } from './commands/port.ts';
import { apply, get, ls, remove } from './commands/resources.ts';
import { runJob } from './commands/run.ts';
import { terminal } from './commands/terminal.ts';
import { usage } from './commands/usage.ts';

export const commands: readonly Command[] = [
  ...[login, logout, ls, get, apply, remove, init, deploy, runJob, logs, exec, terminal, cp, port, usage, doctor],
  completionOf(() => commands),
];
