import type { Engine } from './engine.ts';
import { postgres } from './postgres.ts';
import { restate } from './restate.ts';

export const engines: readonly Engine[] = [postgres, restate];
