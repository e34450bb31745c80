/**
 * Fields in which streams of providers carry what a model says, thinks and calls. Everything else in an event is frame.
 */
const textFields =
  /"(?:content|text|delta|thinking|reasoning|reasoning_content|refusal|partial_json|arguments)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Characters of text in an event, by the names of its fields: parsing each event would cost several times as much. */
export function streamedText(event: Buffer): number {
  let characters = 0;
  for (const [, text = ''] of event.toString('latin1').matchAll(textFields)) characters += text.length;
  return characters;
}
