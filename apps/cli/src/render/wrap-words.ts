import { textWidth } from './text-width.ts'

interface Wrapper {
  write(piece: string): string
  flush(): string
}

/** Breaks lines between words, of text that comes in pieces; a word is held until its end is seen. */
export function createWrapper(columns: number): Wrapper {
  let column = 0
  let space = ''
  let word = ''

  const settle = (): string => {
    if (word === '') return ''
    const wide = textWidth(word)
    const breaks = column > 0 && column + space.length + wide > columns
    const out = breaks ? `\n${word}` : space + word
    column = (breaks ? 0 : column + space.length) + wide
    space = ''
    word = ''
    return out
  }

  return {
    write(piece) {
      let out = ''
      for (const [found] of piece.matchAll(PARTS)) {
        if (found === '\n') {
          out += `${settle()}\n`
          column = 0
          space = ''
        } else if (found === ' ' || found === '\t') {
          out += settle()
          space += found === '\t' ? TAB : ' '
        } else if (STANDS_ALONE.test(found)) {
          out += settle()
          word = found
          out += settle()
        } else word += found
      }
      return out
    },
    flush() {
      const out = settle()
      column = 0
      space = ''
      return out
    },
  }
}

/** A whole text in lines of at most so many columns. */
export function wrapWords(text: string, columns: number): string {
  const wrapper = createWrapper(columns)
  return wrapper.write(text) + wrapper.flush()
}

const TAB = '    '

/** Scripts that are written without spaces break anywhere. */
const STANDS_ALONE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const PARTS =
  /\n|[ \t]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\n \t\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu
