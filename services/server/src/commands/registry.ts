import { checkUsageCommand } from './check-usage.ts';
import type { Command } from './command.ts';
import { createJoinTokenCommand } from './create-join-token.ts';
import { createKeyCommand } from './create-key.ts';
import { createUserCommand } from './create-user.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init.ts';
import { listRunnersCommand } from './list-runners.ts';
import { migrateCommand } from './migrate.ts';
import { removeRunnerCommand } from './remove-runner.ts';
import { replayCallbackCommand } from './replay-callback.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { uninstallCommand } from './uninstall.ts';
import { upCommand } from './up.ts';

export const commands: readonly Command[] = [
  migrateCommand,
  initCommand,
  createUserCommand,
  createKeyCommand,
  createJoinTokenCommand,
  listRunnersCommand,
  removeRunnerCommand,
  replayCallbackCommand,
  rotateKeysCommand,
  checkUsageCommand,
  upCommand,
  doctorCommand,
  uninstallCommand,
];
