import { Fault } from '../http/fault.ts';

/** Throws a Fault when the text to replace is missing or ambiguous, so that an edit never lands in the wrong place. */
export function replaceText(
  content: string,
  wanted: string,
  replacement: string,
  everywhere: boolean,
): { text: string; count: number } {
  if (wanted === '') throw new Fault(400, 'oldString is empty. Give the text to replace.');
  if (wanted === replacement) throw new Fault(400, 'oldString and newString are the same. Nothing would change.');
  const pieces = content.split(wanted);
  const count = pieces.length - 1;
  if (count === 0) throw new Fault(422, 'oldString is not in the file. Read the file and copy the text exactly.');
  if (count > 1 && !everywhere) {
    throw new Fault(
      422,
      `oldString is ${count} times in the file. Give more of the text around it, or set replaceAll.`,
    );
  }
  return { text: pieces.join(replacement), count };
}
