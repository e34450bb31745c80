// The only place that reads the guest's own environment and arguments.

/** As it is at this moment: a reload changes it. */
export const environment: NodeJS.ProcessEnv = process.env;

// The guest's own libraries live beside it and must never reach the programs it starts. What the image itself says to
// loaders and to Node.js was held back by the helper, so that it does not bend the guest; programs get it as it was.
delete environment.LD_LIBRARY_PATH;
const HELD = 'SANDBOX_HELD_';
for (const [name, value] of Object.entries(environment)) {
  if (!name.startsWith(HELD)) continue;
  delete environment[name];
  environment[name.slice(HELD.length)] = value;
}

export const commandLine: readonly string[] = process.argv.slice(2);
