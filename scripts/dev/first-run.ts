export type FirstRun = {
  /** Settings that the server needs in development beside the engines' addresses. */
  env: Readonly<Record<string, string>>;
  /** What the developer should see once everything is up, such as the first key. */
  lines: readonly string[];
};

type RunCommand = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<string>;

/** Runs between migration and start, every time: makes what an empty deployment lacks and keeps it for the next time. */
export async function prepareFirstRun(_runCommand: RunCommand): Promise<FirstRun> {
  return { env: {}, lines: [] };
}
