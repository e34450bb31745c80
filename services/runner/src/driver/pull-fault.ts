// The engine's words about a failed pull, and what a person can do about it.
import { PullFailed, type PullFault } from './driver.ts';
import { registryOf } from './image-reference.ts';

interface Rule {
  readonly words: RegExp;
  readonly fault: PullFault;
  message(image: string, registry: string): string;
}

/** In order: the first that matches names the fault. */
const rules: readonly Rule[] = [
  {
    // Registries say the same of what is absent and of what is private, so as not to tell strangers which.
    words: /repository does not exist or may require 'docker login'|pull access denied/,
    fault: 'refused',
    message: (image, registry) =>
      `${registry} does not give us ${image}: it does not exist there, or it is private. Check the name; if it is right, give the runner credentials for this registry.`,
  },
  {
    words: /unauthorized|denied|authentication required|no basic auth|forbidden/i,
    fault: 'refused',
    message: (image, registry) =>
      `${registry} refuses to give us ${image}. Give the runner credentials for this registry that may pull it.`,
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
  {
    words: /no such host|server misbehaving|name resolution/i,
    fault: 'unavailable',
    message: (image, registry) =>
      `The name of ${registry} does not resolve, so ${image} cannot be pulled. Check the name, and the DNS of the runner's machine.`,
  },
];

export function pullFailed(image: string, engineWords: string, cause?: unknown): PullFailed {
  const registry = registryOf(image) ?? "The engine's default registry";
  const rule = rules.find(({ words }) => words.test(engineWords));
  const message =
    rule?.message(image, registry) ??
    `${image} could not be pulled. Check that ${registryOf(image) ?? 'the registry'} is up and that the runner's machine reaches it. The engine says: ${engineWords}`;
  return new PullFailed(rule?.fault ?? 'unavailable', message, { cause: cause ?? new Error(engineWords) });
}
