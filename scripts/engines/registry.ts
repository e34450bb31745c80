import type { Engine } from './engine.ts';
import { postgres } from './postgres.ts';

export const engines: readonly Engine[] = [postgres];
