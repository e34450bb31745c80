import type { ProcessKey } from '../supervisor/supervisor.ts';

/** First character of a terminal's key: distinguishes terminals from processes among the helper's records. */
export const TERMINAL_MARK = '~';

export const isTerminalKey = (key: ProcessKey): boolean => key.startsWith(TERMINAL_MARK);
