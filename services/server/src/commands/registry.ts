import { backupCommand } from './backup.ts';
import { checkUsageCommand } from './check-usage.ts';
import type { Command } from './command.ts';
import { createJoinTokenCommand } from './create-join-token.ts';
import { createKeyCommand } from './create-key.ts';
import { createUserCommand } from './create-user.ts';
import { doctorCommand } from './doctor.ts';
import { finishRestoreCommand } from './finish-restore.ts';
import { initCommand } from './init.ts';
import { joinCommand } from './join.ts';
import { listRunnersCommand } from './list-runners.ts';
import { migrateCommand } from './migrate.ts';
import { orphansCommand } from './orphans.ts';
import { removeRunnerCommand } from './remove-runner.ts';
import { replayCallbackCommand } from './replay-callback.ts';
import { restoreCommand } from './restore.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { uninstallCommand } from './uninstall.ts';
import { upCommand } from './up.ts';
import { upgradeCommand } from './upgrade.ts';
import { verifyBackupCommand } from './verify-backup.ts';

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
  backupCommand,
  verifyBackupCommand,
  restoreCommand,
  finishRestoreCommand,
  orphansCommand,
  upCommand,
  joinCommand,
  upgradeCommand,
  doctorCommand,
  uninstallCommand,
];
