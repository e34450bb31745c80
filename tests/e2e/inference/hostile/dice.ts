/** Random choices that the same seed repeats. */
export interface Dice {
  below(count: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  chance(share: number): boolean;
}

export function diceOf(random: () => number): Dice {
  const below = (count: number): number => Math.floor(random() * count);
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    chance: (share) => random() < share,
  };
}
