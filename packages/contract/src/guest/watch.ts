/** `ERROR` comes from the watch itself: events were lost, or it cannot see everything. */
export type FileEventOp = 'CREATE' | 'WRITE' | 'REMOVE' | 'RENAME' | 'CHMOD' | 'ERROR';

/** One line of the watch stream: one change. `path` is the folder of the item, empty directly under `/`. */
export type FileEvent = { op: FileEventOp; name: string; path: string; error: string | null };
