/**
 * The registry that a reference names, with its port; absent when it leaves the choice to the engine. What stands before the
 * first slash is a registry only if it looks like a host: `team/app` is a name at the engine's default one.
 */
export function registryOf(image: string): string | undefined {
  const [first = '', ...rest] = image.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : undefined;
}
