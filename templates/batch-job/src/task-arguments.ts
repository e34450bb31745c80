// Reads the arguments of a task: from the address that the platform gives, or from the command line.

export type TaskArguments = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Variable names begin with the name of the platform, so they are found by their ending. */
const endingWith = (environment: Environment, ending: string): string | undefined =>
  Object.entries(environment).find(([name]) => name.endsWith(ending))?.[1];

export async function taskArguments(environment: Environment, flags: readonly string[]): Promise<TaskArguments> {
  const url = endingWith(environment, '_EXECUTION_DATA_URL');
  if (url === undefined) return fromFlags(flags);
  const index = Number(environment[endingWith(environment, '_TASK_KEY') ?? 'TASK_INDEX'] ?? '0');
  const { tasks } = (await fetchJson(url)) as { readonly tasks?: readonly TaskArguments[] };
  const task = tasks?.[index];
  if (task === undefined) throw new Error(`The execution has no task number ${index}.`);
  return task;
}

/** `--key value` pairs. */
function fromFlags(flags: readonly string[]): TaskArguments {
  const names = flags.map((flag, index) => [flag, flags[index + 1]] as const).filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map(([flag, value]) => [flag.replace(/^--/, ''), value]));
}

const pausesMs = [1000, 2000, 4000];

/** The address may be busy while many tasks start at once. */
async function fetchJson(url: string): Promise<unknown> {
  for (const pauseMs of [...pausesMs, undefined]) {
    const response = await fetch(url);
    if (response.ok) return response.json();
    const passing = response.status >= 500 || response.status === 429;
    if (!passing || pauseMs === undefined)
      throw new Error(`The task's arguments could not be read: ${response.status}.`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return undefined;
}
