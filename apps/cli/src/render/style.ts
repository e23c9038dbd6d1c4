import { styleText } from 'node:util'

/** Emphasis where the reader's screen has it; plain text elsewhere. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  warn(text: string): string
}

export function createStyle(coloured: boolean): Style {
  const styled = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  return { bold: styled('bold'), dim: styled('dim'), warn: styled('yellow') }
}
