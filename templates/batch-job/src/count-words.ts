/** Words of a page as a reader sees them: without tags, scripts and styles. */
export function countWords(html: string): number {
  const text = html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return text.split(/\s+/).filter(Boolean).length;
}
