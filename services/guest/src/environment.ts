// The only place that reads the guest's own environment and arguments.

/** The live environment: a reload changes it. */
export const environment: NodeJS.ProcessEnv = process.env;

// LD_LIBRARY_PATH names the guest's own libraries and must never reach the programs it starts. The helper renamed the
// image's variables for loaders and Node.js so that they do not affect the guest; programs get them back unchanged.
delete environment.LD_LIBRARY_PATH;
const heldPrefix = 'SANDBOX_HELD_';
for (const [name, value] of Object.entries(environment)) {
  if (!name.startsWith(heldPrefix)) continue;
  delete environment[name];
  environment[name.slice(heldPrefix.length)] = value;
}

export const commandLine: readonly string[] = process.argv.slice(2);
