import type { ProcessKey } from '../supervisor/supervisor.ts';

/** First character of a terminal's key: distinguishes terminals from processes among the helper's records. */
export const terminalKeyPrefix = '~';

export const isTerminalKey = (key: ProcessKey): boolean => key.startsWith(terminalKeyPrefix);
