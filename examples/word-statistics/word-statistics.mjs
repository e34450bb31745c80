const shown = 5;

/** Counts the words of a text in any language; upper and lower case are the same word. */
export function wordStatistics(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const byCount = [...counts].toSorted(([left, few], [right, many]) => many - few || (left < right ? -1 : 1));
  const most = byCount.slice(0, shown).map(([word, count]) => ({ word, count }));
  return { words: words.length, distinct: counts.size, most };
}
