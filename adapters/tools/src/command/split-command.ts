export type Words =
  | { readonly kind: 'words'; readonly program: string; readonly rest: readonly string[] }
  | { readonly kind: 'unclear'; readonly why: string }

/**
 * A command line as a program and its arguments. Spaces part them and quotes hold them together; what a shell would
 * do more is not done, so a line that counts on it is refused rather than run as something else.
 */
export function splitCommand(command: string): Words {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of command) {
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (quote === '"' && EXPANDED.includes(character)) return needsShell(character)
      else word += character
    } else if (character === ' ') {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (SPECIAL.includes(character)) return needsShell(character)
    else word = (word ?? '') + character
  }
  if (quote !== '') return { kind: 'unclear', why: `it has a ${quote} that is not closed` }
  if (word !== undefined) words.push(word)
  return programOf(words)
}

const EXPANDED = '`$\\'
const SPECIAL = ';&|<>()`$\\\n'

const needsShell = (character: string): Words => ({
  kind: 'unclear',
  why: `it has ${JSON.stringify(character)}, which means something to a shell, and there is none here`,
})

function programOf([program, ...rest]: readonly string[]): Words {
  if (program === undefined || program === '') return { kind: 'unclear', why: 'it names no program' }
  if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(program))
    return { kind: 'unclear', why: `it begins with a variable (${program}), which only a shell could set` }
  if (program.startsWith('-') || program.startsWith('~'))
    return { kind: 'unclear', why: `${program} is not the name of a program` }
  return { kind: 'words', program, rest }
}
