import type { ProcessKey } from '../supervisor/supervisor.ts';

/** Told apart from processes by the first character, so that each feature knows its own among the helper's records. */
export const TERMINAL_MARK = '~';

export const isTerminalKey = (key: ProcessKey): boolean => key.startsWith(TERMINAL_MARK);
