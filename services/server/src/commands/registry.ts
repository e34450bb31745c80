import type { Command } from '../command.ts';
import { migrateCommand } from './migrate.ts';

export const commands: readonly Command[] = [migrateCommand];
