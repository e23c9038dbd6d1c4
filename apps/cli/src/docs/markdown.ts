export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

export const code = (text: string): string => `\`${text}\``

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
