/** Counts the words of a page as a reader sees it: without tags, scripts and styles. */
export function countWords(html: string): number {
  const text = html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return text.split(/\s+/).filter(Boolean).length;
}
