import { StringDecoder } from 'node:string_decoder';
import type { Piece } from './process-output.ts';
import { wholeCharacters } from './whole-characters.ts';

export type StreamText = { stream: 'stdout' | 'stderr'; text: string };

/** Text shown in place of bytes that are no longer kept. */
export function gapText({ bytes, atHead }: { bytes: number; atHead: boolean }): string {
  return atHead
    ? `[${bytes} bytes of earlier output were released and are no longer kept]`
    : `[this stream fell behind: ${bytes} bytes of output are no longer kept]`;
}

/** Turns pieces into text and joins a character that is split over two. Markers become separate lines on stdout. */
export class PieceText {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  readonly #mayStartInside: Record<'stdout' | 'stderr', boolean>;
  #isAtLineStart = true;

  /** A stream that is read from the middle may begin inside a character: that character is left out. */
  constructor(isFromMiddle = false) {
    this.#mayStartInside = { stdout: isFromMiddle, stderr: isFromMiddle };
  }

  take(pieces: readonly Piece[]): StreamText[] {
    const texts: StreamText[] = [];
    for (const piece of pieces) {
      if (piece.kind === 'output') this.#add(texts, piece.stream, this.#decode(piece.stream, piece.bytes));
      else this.#addLine(texts, piece.kind === 'gap' ? gapText(piece) : piece.text);
    }
    return texts;
  }

  end(): StreamText[] {
    const texts: StreamText[] = [];
    this.#add(texts, 'stdout', this.#decoders.stdout.end());
    this.#add(texts, 'stderr', this.#decoders.stderr.end());
    return texts;
  }

  #decode(stream: 'stdout' | 'stderr', bytes: Buffer): string {
    const whole = this.#mayStartInside[stream] ? wholeCharacters(bytes) : bytes;
    this.#mayStartInside[stream] = false;
    return this.#decoders[stream].write(whole);
  }

  #addLine(texts: StreamText[], line: string): void {
    texts.push(...this.end());
    this.#add(texts, 'stdout', this.#isAtLineStart ? `${line}\n` : `\n${line}\n`);
  }

  #add(texts: StreamText[], stream: 'stdout' | 'stderr', text: string): void {
    if (text === '') return;
    this.#isAtLineStart = text.endsWith('\n');
    const last = texts.at(-1);
    if (last?.stream === stream) last.text += text;
    else texts.push({ stream, text });
  }
}
