/** A stored time as the reader's clock shows it: 2026-11-15 14:03. */
export function localTime(timestamp: string): string {
  const at = new Date(timestamp)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}

const two = (number: number) => String(number).padStart(2, '0')
