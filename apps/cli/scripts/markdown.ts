export const toBullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

export const toCode = (text: string): string => `\`${text}\``

export const toFullSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

export const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
