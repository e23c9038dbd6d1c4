/** Tells of each line in its turn whether it is code: fenced, or set in after a blank line. */
export function createCodeFinder(): (line: string) => boolean {
  let fence: string | undefined
  let before: 'blank' | 'code' | 'text' = 'blank'
  return (line) => {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return true
    }
    if (mark !== undefined) {
      fence = mark
      return true
    }
    if (line.trim() === '') {
      if (before === 'text') before = 'blank'
      return false
    }
    before = before !== 'text' && /^(?: {4}|\t)/.test(line) ? 'code' : 'text'
    return before === 'code'
  }
}

// What opens and closes within one line is no block.
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/
