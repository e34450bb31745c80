// Generates a name for a sandbox created without one: two pronounceable words and enough random digits to avoid
// collisions.

const qualities = 'amber brave calm clear deep eager fair gentle happy keen light merry noble proud quiet rapid'.split(
  ' ',
);
const things =
  'anchor beacon brook cedar cliff coral delta fjord harbor island lagoon meadow otter pine reef willow'.split(' ');

const pick = (words: readonly string[], byte: number | undefined): string => words[(byte ?? 0) % words.length] ?? '';

/** Uses eight random bytes: one for each word, six for the suffix. */
export function generateSandboxName(random: Uint8Array): string {
  const end = Buffer.from(random.subarray(2, 8)).toString('hex');
  return `${pick(qualities, random[0])}-${pick(things, random[1])}-${end}`;
}
