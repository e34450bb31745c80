// Settings of an operator or an image. Names without the brand are the same in every deployment.
import { brandedGuestVariables, brandedVariable, bytesPerMb, guestVariables } from '@berth/contract/guest';
import { type ApplyProvider, applyProviderOf } from './codegen/apply-provider.ts';

export type Settings = {
  /** Long form for headers, short form for environment names. */
  brand: { long: string; short: string };
  /** Folder that relative paths are relative to. */
  workingDirectory: string;
  home: string | undefined;
  /** Program and arguments that run a command. */
  shell: { program: string; args: readonly string[] };
  /** Folder for output, process records and open uploads. */
  stateFolder: string;
  /** Folder of the helper's programs and of the guest itself. */
  runtimeFolder: string;
  /** Account that processes run as when the operator asks for one; the guest itself already does. */
  workloadUser: { name: string; home: string } | undefined;
  /** Command to run when the guest starts, in `/`. */
  startupCommand: string | undefined;
  /** `src%2Fa.txt` means `/src/a.txt`, as in the reference, instead of `src/a.txt` in the working directory. */
  encodedSlashIsAbsolute: boolean;
  /** Public key of the runner, SPKI in base64. Absent: the sandbox has no runner. */
  controlKey: string | undefined;
  /** Part of what the runner signs: a signature for one sandbox is worth nothing in another. */
  instanceId: string;
  /** Document with `{generation, environment}` that the host provides. */
  metadataPath: string | undefined;
  /** File of `KEY\0VALUE\0…`: variables that did not fit the boot channel. */
  extraEnvironmentPath: string | undefined;
  keepAliveDisabled: boolean;
  terminalDisabled: boolean;
  /** A terminal session without a client for this long is ended. */
  terminalIdleSeconds: number;
  requestLogDisabled: boolean;
  /** Provider that merges edits into files (codegen). Absent: the feature is off. */
  applyProvider: ApplyProvider | undefined;
  logs: {
    /** Limit for one stream of one process; 0 = no limit. */
    maxBytesPerFile: number;
    /** Limit for all streams of all processes, finished ones too. */
    maxBytesTotal: number | undefined;
    maxPercentOfMemory: number;
    maxBytesInAnswer: number;
  };
};

export function readSettings(environment: NodeJS.ProcessEnv, commandLine: readonly string[], cwd: string): Settings {
  const [long = 'Service', short = 'service'] = (environment[guestVariables.brand.name] ?? '')
    .split(':')
    .filter((word) => word);
  const branded = ({ name }: { name: string }) => environment[brandedVariable(short, name)];
  const number = (name: string, otherwise: number) => {
    const value = Number(environment[name] ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : otherwise;
  };
  const user = environment[guestVariables.workloadUser.name];
  return {
    brand: { long, short },
    workingDirectory: environment.WORKDIR || cwd || '/',
    home: environment.HOME,
    shell: {
      program: environment.SHELL || 'sh',
      args: (environment.SHELL_ARGS || '-c').split(' ').filter((word) => word),
    },
    stateFolder: environment[guestVariables.stateFolder.name] || '/tmp/sandbox-state',
    runtimeFolder: optionOf(commandLine, '--runtime') ?? (environment[guestVariables.runtimeFolder.name] || '/.berth'),
    workloadUser: user ? { name: user, home: environment.HOME ?? '/' } : undefined,
    startupCommand: optionOf(commandLine, '--command', '-c'),
    encodedSlashIsAbsolute: isOn(environment.SANDBOX_ENCODED_SLASH_IS_ABSOLUTE),
    controlKey: environment[guestVariables.controlKey.name],
    instanceId: environment[guestVariables.instanceId.name] ?? '',
    metadataPath: branded(brandedGuestVariables.metadataPath),
    extraEnvironmentPath: branded(brandedGuestVariables.extraEnvironmentPath),
    keepAliveDisabled: isOn(branded(brandedGuestVariables.keepAliveDisabled)),
    terminalDisabled: isOn(environment.DISABLE_TERMINAL),
    terminalIdleSeconds: number('SANDBOX_TERMINAL_IDLE_SECONDS', 600) || 600,
    requestLogDisabled: isOn(environment.DISABLE_REQUEST_LOGGING),
    applyProvider: applyProviderOf(environment),
    logs: {
      maxBytesPerFile: number('SANDBOX_MAX_LOG_FILE_BYTES', 32 * bytesPerMb),
      maxBytesTotal: environment.SANDBOX_MAX_LOG_BYTES_TOTAL
        ? number('SANDBOX_MAX_LOG_BYTES_TOTAL', 96 * bytesPerMb)
        : undefined,
      maxPercentOfMemory: number('SANDBOX_MAX_LOG_PERCENT', 10),
      maxBytesInAnswer: number('SANDBOX_MAX_LOGS_RESPONSE_BYTES', 4 * bytesPerMb),
    },
  };
}

const isOn = (value: string | undefined): boolean => value === 'true' || value === '1';

function optionOf(words: readonly string[], ...names: readonly string[]): string | undefined {
  const at = words.findIndex((word) => names.includes(word));
  return at < 0 ? undefined : words[at + 1];
}
