// The document that a task reads, built from JSON text. Parsing 100 000 values to write them again would block the
// gateway.

/** `inputs` has the arguments of all tasks, with commas between them. */
export const allTasks = (inputs: string): string => `{"tasks":[${inputs}]}`;

/** Element `index` of `count` is filled; the others are null. */
export const onlyTask = (input: string, index: number, count: number): string =>
  `{"tasks":[${'null,'.repeat(index)}${input}${',null'.repeat(count - index - 1)}]}`;
