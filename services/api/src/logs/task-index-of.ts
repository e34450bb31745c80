/** Index of a task from its name (`task-3`) or the index itself (`3`). Undefined for text that names no task. */
export function taskIndexOf(text: string): number | undefined {
  // Nine digits always fit into the column of the log lines.
  const index = /^(?:task-)?(\d{1,9})$/.exec(text)?.[1];
  return index === undefined ? undefined : Number(index);
}
