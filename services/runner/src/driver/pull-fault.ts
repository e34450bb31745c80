// Maps the engine's pull errors to messages that a person can act on. The engine's own words are for the operator
// alone, because they reveal the machine's network.
import { parseImageReference, registryOf } from '@berth/contract';
import { PullFailed, type PullFault } from './driver.ts';

interface Rule {
  readonly words: RegExp;
  readonly fault: PullFault;
  message(image: string, registry: string): string;
}

/** The first matching rule names the fault. */
const rules: readonly Rule[] = [
  {
    // Registries answer the same for missing and for private images, so that strangers cannot tell which exist.
    words: /repository does not exist or may require 'docker login'|pull access denied/,
    fault: 'refused',
    message: (image, registry) =>
      `${registry} does not give us ${image}: it does not exist there, or it is private. Check the name; if it is right, the operator has to give runners credentials for it (runner.registries).`,
  },
  {
    words: /unauthorized|denied|authentication required|no basic auth|forbidden/i,
    fault: 'refused',
    message: (image, registry) =>
      `${registry} refuses to give us ${image}. Check the name; if it is right, the operator has to give runners credentials for it (runner.registries).`,
  },
  {
    words: /manifest unknown|no matching manifest|manifest .*not found|name unknown|name invalid|not found: /i,
    fault: 'missing',
    message: (image, registry) =>
      `${registry} has no image ${image} for this machine. Check its name and tag, and push it if it was never pushed.`,
  },
  {
    words: /invalid reference format|must be lowercase/,
    fault: 'missing',
    message: (image) => `${image} is not the name of an image. It reads like registry.example/name:tag, in lower case.`,
  },
];

const unavailable = (image: string, registry: string): string =>
  `${image} could not be pulled. Check the name of ${registry} and that it is up; if so, ask the operator whether the runners reach it.`;

/** Registry of an image. */
export function hostOf(image: string): string {
  const parts = parseImageReference(image);
  return parts === undefined ? 'the registry' : registryOf(parts);
}

export function pullFailed(image: string, engineWords: string, cause?: unknown): PullFailed {
  const rule = rules.find(({ words }) => words.test(engineWords));
  const message = (rule?.message ?? unavailable)(image, hostOf(image));
  return new PullFailed(rule?.fault ?? 'unavailable', message, { cause: cause ?? new Error(engineWords) });
}
