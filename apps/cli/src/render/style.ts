import { styleText } from 'node:util'

type Paint = (text: string) => string

/** Emphasis where the reader's screen has it; plain text elsewhere. */
export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly warn: Paint
  readonly good: Paint
  readonly bad: Paint
}

export function createStyle(coloured: boolean): Style {
  const styled = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: styled('bold'),
    dim: styled('dim'),
    warn: styled('yellow'),
    good: styled('green'),
    bad: styled('red'),
  }
}
